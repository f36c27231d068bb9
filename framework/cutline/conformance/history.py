"""Histories: how the rows of one subject came to be what they are, and every way to have seen it.

A history can be told whole, by all its changes, or from any moment on: a snapshot of what stood
there then, and the changes after it. Both are worlds of the testing kit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutline.tables.change import CREATE, DELETE, SNAPSHOT, UPDATE
from cutline.testing.row import Row
from cutline.testing.step import Step

Detail = tuple[Any, ...]
"""Something that a history could do without: ("move", n), ("beside", n), ("value", row, column) or
("moving", row, column)."""


@dataclass(frozen=True)
class Move:
    """One change: what row number `row` of the history became; null, it was deleted.

    It is committed at a time, alone or, with `joined`, in one transaction with the move before.
    """

    row: int
    image: Row | None
    at: dt.datetime
    joined: bool = False


@dataclass(frozen=True)
class History:
    """The moves of a subject's rows in the order of their commits.

    `beside` are rows of reference data, which stand there all the time.
    """

    moves: tuple[Move, ...]
    beside: tuple[Row, ...] = ()

    def told_whole(self) -> list[Step]:
        """The world in which every change is seen."""
        return self.seen_from(0)

    def seen_from(self, moment: int) -> list[Step]:
        """The world in which a snapshot shows what stood there after so many moves."""
        shown: dict[int, Row] = {}
        steps: list[Step] = []
        begun = 1
        for place, move in enumerate(self.moves, start=1):
            before = shown.get(move.row)
            begun = place if not move.joined or place == 1 else begun
            if place > moment:
                steps.append(_change(move, before, place, begun))
            if move.image is None:
                shown.pop(move.row, None)
            else:
                shown[move.row] = move.image
            if place == moment:
                steps = [Step(SNAPSHOT, None, row) for row in shown.values()]
        return [*(Step(SNAPSHOT, None, row) for row in self.beside), *steps]

    def moments(self) -> list[int]:
        """After how many moves a snapshot can be taken: never within a transaction."""
        later = [*(move.joined for move in self.moves[1:]), False]
        return [place for place, joined in enumerate(later, start=1) if not joined]

    def deleted_by(self, moment: int) -> bool:
        """Whether a row had been deleted when a snapshot was taken after so many moves."""
        return any(move.image is None for move in self.moves[:moment])

    def details(self) -> list[Detail]:
        """What the history could do without: moves, reference rows, values, and their moving."""
        return [
            *(("move", i) for i in range(len(self.moves))),
            *(("beside", i) for i in range(len(self.beside))),
            *sorted({("value", *place) for place in self._values()}),
            *sorted({("moving", *place) for place in self._moving()}),
        ]

    def without(self, details: Collection[Detail]) -> History | None:
        """The history without these; null where that leaves nothing, or deletes what is not there.

        A value that is left out is null in every image of its row; one that no longer moves is what
        it was at first.
        """
        bare = {d[1:] for d in details if d[0] == "value"}
        still = {d[1:] for d in details if d[0] == "moving"}
        firsts: dict[int, Row] = {}
        moves = []
        for i, move in enumerate(self.moves):
            if move.image is not None:
                first = firsts.setdefault(move.row, move.image)
                fixed = {c: first.named[c] for row, c in still if row == move.row}
                move = replace(move, image=_bare(move.image, fixed, bare, move.row))
            if ("move", i) not in details:
                moves.append(move)
        beside = tuple(
            _bare(row, {}, bare, -1 - i)
            for i, row in enumerate(self.beside)
            if ("beside", i) not in details
        )
        return History(tuple(moves), beside) if moves and _is_sound(moves) else None

    def _values(self) -> Iterator[tuple[int, str]]:
        """The columns whose value could be null, by row; reference rows count from -1 down."""
        rows = [(move.row, move.image) for move in self.moves if move.image is not None]
        rows += [(-1 - i, row) for i, row in enumerate(self.beside)]
        for number, row in rows:
            columns = row.contract.columns()
            for name, value in row.named.items():
                if value is not None and columns[name].nullable:
                    yield number, name

    def _moving(self) -> Iterator[tuple[int, str]]:
        firsts: dict[int, Row] = {}
        for move in self.moves:
            if move.image is not None:
                first = firsts.setdefault(move.row, move.image)
                for name, value in move.image.named.items():
                    if value != first.named[name]:
                        yield move.row, name

    def __str__(self) -> str:
        steps = [_without_nulls(step) for step in self.told_whole()]
        beside = [f"beside it: {step.row.contract.__name__} {step.row}" for step in steps]
        joined = [" (in the same transaction)" if move.joined else "" for move in self.moves]
        changes = [
            f"{n}. {step}{with_it if n > 1 else ''}"
            for n, (step, with_it) in enumerate(
                zip(steps[len(self.beside) :], joined, strict=True), start=1
            )
        ]
        return "\n".join([*beside[: len(self.beside)], *changes])


def _without_nulls(step: Step) -> Step:
    """The step as people read it: what is null is not said of a row that is new."""
    if step.op == UPDATE or step.after is None:
        return step
    named = {name: value for name, value in step.after.named.items() if value is not None}
    return replace(step, after=Row(step.contract, named))


def _change(move: Move, before: Row | None, place: int, begun: int) -> Step:
    op = DELETE if move.image is None else CREATE if before is None else UPDATE
    return Step(op, before, move.image, move.at, place=place, begun=begun)


def _is_sound(moves: Sequence[Move]) -> bool:
    """Whether nothing is deleted that is not there."""
    there: set[int] = set()
    for move in moves:
        if move.image is None and move.row not in there:
            return False
        (there.add if move.image is not None else there.discard)(move.row)
    return True


def _bare(row: Row, fixed: Mapping[str, Any], bare: Collection[Detail], number: int) -> Row:
    named = {n: None if (number, n) in bare else fixed.get(n, v) for n, v in row.named.items()}
    return Row(row.contract, named)
