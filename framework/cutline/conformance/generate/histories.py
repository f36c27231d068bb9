"""Generated histories of a translator's subjects."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cutline.conformance.generate.reference import reference_rows
from cutline.conformance.generate.row_strategy import RowStrategy, row_strategy
from cutline.conformance.generate.rule_constants import rule_constants
from cutline.conformance.history import History, HistoryChange
from cutline.errors import ConfigurationError
from cutline.testing.literals import literal
from cutline.testing.row import Row
from cutline.testing.step import EXTRACTED
from cutline.translator import Part, Translator

_MAX_CHANGES, _SUBJECTS = 6, 40
_TRANSACTION_EVERY = 4
"""One in so many histories has transactions of several changes."""

_SPARSE = (0.0, 0.05, 0.3, 0.8)
"""Probabilities of null in the nullable columns of a new row; a history has one of them."""


def generate_histories(translator: type[Translator], count: int, seed: int) -> list[History]:
    """So many histories of one subject each; the same for the same seed.

    A history has a handful of changes of the parts' rows: each row is created, then updated, and
    one may be deleted at the end. Rows of the parts share the subject's key, and reference rows
    match the lookups' keys; a part that is not required, or a reference row, may be missing.
    """
    generator = _HistoryGenerator(translator, random.Random(f"{seed}:{translator.name()}"))  # noqa: S311
    return [generator.history(number) for number in range(count)]


def _in_transactions(changes: Sequence[HistoryChange], number: int) -> Iterator[HistoryChange]:
    """The changes, some of them joined to the transaction of the change before."""
    rng = random.Random(number)  # noqa: S311
    previous: HistoryChange | None = None
    for change in changes:
        if previous is not None and rng.random() < 0.4:
            change = replace(change, at=previous.at, joined=True)
        yield change
        previous = change


class _HistoryGenerator:
    """Draws histories of one translator from the strategies of its parts and lookups."""

    def __init__(self, translator: type[Translator], rng: random.Random) -> None:
        self._translator, self._rng = translator, rng
        constants = rule_constants(translator)
        self._parts = {
            name: row_strategy(part.contract, name, constants, rng)
            for name, part in translator.parts.items()
        }
        self._lookups = {
            name: row_strategy(lookup.contract, name, constants, rng)
            for name, lookup in translator.lookups.items()
        }

    def history(self, number: int) -> History:
        """The history of that number; histories must be drawn in the order of their numbers."""
        changes = tuple(self._changes(number))
        if number % _TRANSACTION_EVERY == 0:
            changes = tuple(_in_transactions(changes, number))
        primary = next(iter(self._translator.parts.values())).contract
        images = [c.image for c in changes if c.image and c.image.contract is primary]
        return History(changes, reference_rows(self._translator, self._lookups, images, self._rng))

    def _changes(self, number: int) -> Iterator[HistoryChange]:
        rng, rows = self._rng, self._rows(number % _SUBJECTS)
        sparse = rng.choice(_SPARSE)
        images: dict[int, Row] = {}
        now, previous_row = EXTRACTED, -1
        count = max(len(rows), rng.randint(1, _MAX_CHANGES))
        for place in range(count):
            row = self._next_row(len(rows), images, count - place)
            # Two changes at one moment keep their order only within one table.
            is_later = row != previous_row or rng.random() < 0.85
            seconds = rng.choice((1, 7_201)) if is_later else 0
            now, previous_row = now + dt.timedelta(seconds=seconds), row
            strategy, fixed = rows[row]
            image = images.get(row)
            if image is None:
                images[row] = strategy.draw_created(rng, now, fixed, sparse)
            else:
                images[row] = strategy.draw_updated(rng, now, image, fixed)
            yield HistoryChange(row, images[row], now)
        if rng.random() < 0.1:
            yield HistoryChange(rng.choice(list(images)), None, now + dt.timedelta(hours=1))

    def _next_row(self, rows: int, images: dict[int, Row], changes_left: int) -> int:
        """The number of the row to change: a new row while changes are scarce, often in order."""
        missing = [row for row in range(rows) if row not in images]
        if missing and (len(missing) >= changes_left or not images or self._rng.random() < 0.5):
            return missing[0] if self._rng.random() < 0.85 else self._rng.choice(missing)
        return self._rng.choice(list(images))

    def _rows(self, number: int) -> list[tuple[RowStrategy, dict[str, Any]]]:
        """The rows of the subject: the strategy of each, and its values that never change."""
        rng = self._rng
        parts = list(self._translator.parts.items())
        first_name, first = parts[0]
        subject = [
            self._parts[first_name].draw_key(column, number, rng, EXTRACTED)
            for column in first.subject
        ]
        rows = []
        for name, part in parts:
            if part is not first and not part.required and rng.random() < 0.25:
                continue
            has_several = len(parts) == 1 and not set(part.contract.key()) <= set(part.subject)
            for nth in range(rng.choice((1, 1, 2)) if has_several else 1):
                rows.append((self._parts[name], self._fixed(name, part, subject, number, nth)))
        return rows

    def _fixed(
        self, name: str, part: Part, subject: list[Any], number: int, nth: int
    ) -> dict[str, Any]:
        """The subject and key columns of the nth row of a part, by column."""
        strategy = self._parts[name]
        fixed = {
            column: _converted(strategy, column, value)
            for column, value in zip(part.subject, subject, strict=True)
        }
        for column in part.contract.key():
            if column not in fixed:
                key_number = number * 2 + nth
                fixed[column] = strategy.draw_key(column, key_number, self._rng, EXTRACTED)
        return fixed


def _converted(strategy: RowStrategy, column: str, value: Any) -> Any:
    """A part's subject in the type of another part's column, by its text where need be."""
    data_type = strategy.columns[column].data_type
    try:
        return literal(value, data_type, "")
    except ConfigurationError:
        return literal(str(value), data_type, f"{strategy.contract.__name__}, column {column}")
