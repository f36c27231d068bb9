"""Histories: all changes of the rows of one subject, and their possible captures.

A history is captured as all its changes, or as a snapshot at some moment and the changes after it.
Each capture is a list of steps of the testing kit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cutline.tables.change import CREATE, DELETE, SNAPSHOT, UPDATE
from cutline.testing.row import Row
from cutline.testing.step import Step

Simplification = tuple[Any, ...]
"""One way to make a history simpler: ("change", n) and ("reference", n) drop a change or a
reference row; ("null", row, column) makes a column null in every image of a row; ("constant", row,
column) keeps the first value of a column in every image of a row."""


@dataclass(frozen=True)
class HistoryChange:
    """One change: the image that it gave to row number `row` of the history; null for a deletion.

    `at` is the time of the commit. A change that is `joined` belongs to the transaction of the
    change before it.
    """

    row: int
    image: Row | None
    at: dt.datetime
    joined: bool = False


@dataclass(frozen=True)
class History:
    """The changes of a subject's rows in the order of their commits.

    `reference_rows` are rows of looked-up tables, which never change.
    """

    changes: tuple[HistoryChange, ...]
    reference_rows: tuple[Row, ...] = ()

    def all_steps(self) -> list[Step]:
        """The steps of the capture without a snapshot: reference rows and every change."""
        return self.steps_captured_at(0)

    def steps_captured_at(self, moment: int) -> list[Step]:
        """The steps of a capture: a snapshot after so many changes, and the changes after it."""
        images: dict[int, Row] = {}
        steps: list[Step] = []
        transaction_begin = 1
        for place, change in enumerate(self.changes, start=1):
            before = images.get(change.row)
            if place == 1 or not change.joined:
                transaction_begin = place
            if place > moment:
                steps.append(_step(change, before, place, transaction_begin))
            if change.image is None:
                images.pop(change.row, None)
            else:
                images[change.row] = change.image
            if place == moment:
                steps = [Step(SNAPSHOT, None, row) for row in images.values()]
        return [*(Step(SNAPSHOT, None, row) for row in self.reference_rows), *steps]

    def moments(self) -> list[int]:
        """Numbers of changes after which a snapshot can be taken: the ends of transactions."""
        next_is_joined = [*(change.joined for change in self.changes[1:]), False]
        return [place for place, joined in enumerate(next_is_joined, start=1) if not joined]

    def has_deletion_before(self, moment: int) -> bool:
        """Whether one of the first so many changes is a deletion."""
        return any(change.image is None for change in self.changes[:moment])

    def simplifications(self) -> list[Simplification]:
        """Every simplification that would alter the history, in the order in which to try them."""
        return [
            *(("change", i) for i in range(len(self.changes))),
            *(("reference", i) for i in range(len(self.reference_rows))),
            *sorted({("null", *column) for column in self._nullable_values()}),
            *sorted({("constant", *column) for column in self._changing_columns()}),
        ]

    def simplified(self, simplifications: Collection[Simplification]) -> History | None:
        """The history with these simplifications.

        Null where no change is left, or where a change would delete a row that does not exist.
        """
        nulls = {s[1:] for s in simplifications if s[0] == "null"}
        constants = {s[1:] for s in simplifications if s[0] == "constant"}
        first_images: dict[int, Row] = {}
        changes = []
        for i, change in enumerate(self.changes):
            if change.image is not None:
                first = first_images.setdefault(change.row, change.image)
                fixed = {c: first.named[c] for row, c in constants if row == change.row}
                image = _with_values(change.image, change.row, fixed, nulls)
                change = replace(change, image=image)
            if ("change", i) not in simplifications:
                changes.append(change)
        reference_rows = tuple(
            _with_values(row, _reference_number(i), {}, nulls)
            for i, row in enumerate(self.reference_rows)
            if ("reference", i) not in simplifications
        )
        if not changes or not _deletes_existing_rows_only(changes):
            return None
        return History(tuple(changes), reference_rows)

    def _nullable_values(self) -> Iterator[tuple[int, str]]:
        """Row number and name of nullable columns that hold a value in some image."""
        rows = [(change.row, change.image) for change in self.changes if change.image is not None]
        rows += [(_reference_number(i), row) for i, row in enumerate(self.reference_rows)]
        for number, row in rows:
            columns = row.contract.columns()
            for name, value in row.named.items():
                if value is not None and columns[name].nullable:
                    yield number, name

    def _changing_columns(self) -> Iterator[tuple[int, str]]:
        """Row number and name of columns that differ from the row's first image in some image."""
        first_images: dict[int, Row] = {}
        for change in self.changes:
            if change.image is not None:
                first = first_images.setdefault(change.row, change.image)
                for name, value in change.image.named.items():
                    if value != first.named[name]:
                        yield change.row, name

    def __str__(self) -> str:
        steps = [_without_nulls_of_new_row(step) for step in self.all_steps()]
        count = len(self.reference_rows)
        reference = [f"beside it: {s.row.contract.__name__} {s.row}" for s in steps[:count]]
        changes = [
            f"{n}. {step}" + (" (in the same transaction)" if change.joined and n > 1 else "")
            for n, (step, change) in enumerate(
                zip(steps[count:], self.changes, strict=True), start=1
            )
        ]
        return "\n".join([*reference, *changes])


def _reference_number(index: int) -> int:
    """The row number of a reference row in simplifications: below those of changed rows."""
    return -1 - index


def _without_nulls_of_new_row(step: Step) -> Step:
    """A shorter step to show: without the null columns of a new or a snapshot row."""
    if step.op == UPDATE or step.after is None:
        return step
    named = {name: value for name, value in step.after.named.items() if value is not None}
    return replace(step, after=Row(step.contract, named))


def _step(change: HistoryChange, before: Row | None, place: int, transaction_begin: int) -> Step:
    op = DELETE if change.image is None else CREATE if before is None else UPDATE
    return Step(op, before, change.image, change.at, place=place, begun=transaction_begin)


def _deletes_existing_rows_only(changes: Sequence[HistoryChange]) -> bool:
    existing: set[int] = set()
    for change in changes:
        if change.image is None and change.row not in existing:
            return False
        (existing.add if change.image is not None else existing.discard)(change.row)
    return True


def _with_values(
    row: Row, number: int, fixed: Mapping[str, Any], nulls: Collection[Simplification]
) -> Row:
    """The image with `fixed` values by column, and null where `nulls` has its row and column."""
    named = {n: None if (number, n) in nulls else fixed.get(n, v) for n, v in row.named.items()}
    return Row(row.contract, named)
