"""Generated histories of a translator's subjects."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cutline.conformance.generate.reference import reference_rows
from cutline.conformance.generate.row_strategy import Table, table_of
from cutline.conformance.generate.rule_constants import constants_of
from cutline.conformance.history import History, Move
from cutline.errors import ConfigurationError
from cutline.testing.literals import literal
from cutline.testing.row import Row
from cutline.testing.step import EXTRACTED
from cutline.translator import Part, Translator

_MOST_MOVES, _SUBJECTS = 6, 40
_TRANSACTIONS = 4
"""Of so many histories one has transactions of several changes."""

_SPARSE = (0.0, 0.05, 0.3, 0.8)


def histories_of(translator: type[Translator], count: int, seed: int) -> list[History]:
    """So many histories of one subject each; the same for the same seed.

    Each is a handful of changes of the parts' rows: created, updated, sometimes deleted at the end.
    Rows of all parts and lookups meet in their keys, or are missing now and then.
    """
    maker = _Maker(translator, random.Random(f"{seed}:{translator.name()}"))  # noqa: S311
    return [maker.history(number) for number in range(count)]


def _in_transactions(moves: Sequence[Move], number: int) -> Iterator[Move]:
    """The moves, some of them committed with the one before."""
    rng = random.Random(number)  # noqa: S311
    last: Move | None = None
    for move in moves:
        if last is not None and rng.random() < 0.4:
            move = replace(move, at=last.at, joined=True)
        yield move
        last = move


class _Maker:
    def __init__(self, translator: type[Translator], rng: random.Random) -> None:
        self._translator, self._rng = translator, rng
        constants = constants_of(translator)
        self._parts = {
            name: table_of(part.contract, name, constants, rng)
            for name, part in translator.parts.items()
        }
        self._lookups = {
            name: table_of(lookup.contract, name, constants, rng)
            for name, lookup in translator.lookups.items()
        }

    def history(self, number: int) -> History:
        moves = tuple(self._moves(number))
        if number % _TRANSACTIONS == 0:
            moves = tuple(_in_transactions(moves, number))
        primary = next(iter(self._translator.parts.values())).contract
        images = [m.image for m in moves if m.image and m.image.contract is primary]
        beside = reference_rows(self._translator, self._lookups, images, self._rng)
        return History(moves, beside)

    def _moves(self, number: int) -> Iterator[Move]:
        rng, rows = self._rng, self._rows(number % _SUBJECTS)
        sparse = rng.choice(_SPARSE)
        shown: dict[int, Row] = {}
        now, last = EXTRACTED, -1
        most = max(len(rows), rng.randint(1, _MOST_MOVES))
        for place in range(most):
            row = self._next_row(len(rows), shown, most - place)
            # Two changes at one moment keep their order only within one table.
            apart = row != last or rng.random() < 0.85
            now, last = now + dt.timedelta(seconds=rng.choice((1, 7_201)) if apart else 0), row
            table, fixed = rows[row]
            image = shown.get(row)
            if image is None:
                shown[row] = table.first(rng, now, fixed, sparse)
            else:
                shown[row] = table.following(rng, now, image, fixed)
            yield Move(row, shown[row], now)
        if rng.random() < 0.1:
            yield Move(rng.choice(list(shown)), None, now + dt.timedelta(hours=1))

    def _next_row(self, rows: int, shown: dict[int, Row], left: int) -> int:
        """Mostly the first part's row first; every row comes before the moves run out."""
        missing = [row for row in range(rows) if row not in shown]
        if missing and (len(missing) >= left or not shown or self._rng.random() < 0.5):
            return missing[0] if self._rng.random() < 0.85 else self._rng.choice(missing)
        return self._rng.choice(list(shown))

    def _rows(self, number: int) -> list[tuple[Table, dict[str, Any]]]:
        """The rows that the subject has, each with its table and the values that never move."""
        rng = self._rng
        parts = list(self._translator.parts.items())
        first_name, first = parts[0]
        subject = [
            self._parts[first_name].key_value(column, number, rng, EXTRACTED)
            for column in first.subject
        ]
        rows = []
        for name, part in parts:
            if part is not first and not part.required and rng.random() < 0.25:
                continue
            alone = len(parts) == 1 and not set(part.contract.key()) <= set(part.subject)
            for nth in range(rng.choice((1, 1, 2)) if alone else 1):
                rows.append((self._parts[name], self._fixed(name, part, subject, number, nth)))
        return rows

    def _fixed(
        self, name: str, part: Part, subject: list[Any], number: int, nth: int
    ) -> dict[str, Any]:
        table = self._parts[name]
        fixed = {
            column: _as(table, column, value)
            for column, value in zip(part.subject, subject, strict=True)
        }
        for column in part.contract.key():
            if column not in fixed:
                at = number * 2 + nth
                fixed[column] = table.key_value(column, at, self._rng, EXTRACTED)
        return fixed


def _as(table: Table, column: str, value: Any) -> Any:
    """A part's subject in the type of another part's column."""
    kind = table.values[column].kind
    try:
        return literal(value, kind, "")
    except ConfigurationError:
        return literal(str(value), kind, f"{table.contract.__name__}, column {column}")
