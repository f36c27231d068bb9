"""How the rows of one table live: what they are created with, and what may become of them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cutline.conformance.generate.column_strategy import Values, values_of
from cutline.conformance.generate.rule_constants import Constants
from cutline.testing.row import Row
from cutline.translator import Lifecycle, SourceContract

PUT_ASIDE, _ASTRAY = ("hold", "reject"), 0.15
"""What a lifecycle says where it puts a row aside that goes astray, and how often one does then."""

_MOVES, _MATTER_MOVES, _STATUS_MOVES, _TIME_COMES, _TIME_MOVES = 0.15, 0.5, 0.7, 0.35, 0.1
_NULL = 0.15


@dataclass(frozen=True)
class Table:
    """The values of a contract's columns. Stable and key columns never move; a time that was
    written may be corrected, but is not unwritten; a status follows the lifecycle, if there is
    one, and anything may follow anything where there is none.
    """

    contract: type[SourceContract]
    values: Mapping[str, Values]
    lifecycle: Lifecycle | None
    stable: frozenset[str]

    def first(
        self, rng: random.Random, now: dt.datetime, fixed: Mapping[str, Any], sparse: float
    ) -> Row:
        """A row as it is created. `sparse` is how often a column that may be null is null."""
        made: dict[str, Any] = {}
        for name, values in self.values.items():
            if name in fixed:
                made[name] = fixed[name]
            elif self.lifecycle is not None and name == self.lifecycle.column:
                made[name] = rng.choice(self.lifecycle.start)
            elif values.nullable and rng.random() < (sparse / 4 if values.matters else sparse):
                made[name] = None
            else:
                made[name] = values.draw(rng, now)
        return Row(self.contract, made)

    def following(self, rng: random.Random, now: dt.datetime, row: Row, fixed: Any) -> Row:
        """What became of a row by one change; sometimes nothing did."""
        moved = {
            name: self._moved(rng, now, values, row.named[name])
            for name, values in self.values.items()
            if name not in self.stable and name not in fixed
        }
        return Row(self.contract, {**row.named, **moved})

    def _moved(self, rng: random.Random, now: dt.datetime, values: Values, old: Any) -> Any:
        if self.lifecycle is not None and values.name == self.lifecycle.column:
            after: Sequence[Any] = self.lifecycle.follows.get(old, ())
            if self.lifecycle.otherwise in PUT_ASIDE and rng.random() < _ASTRAY:
                after = self.lifecycle.statuses
            return rng.choice(after) if after and rng.random() < _STATUS_MOVES else old
        if values.is_time:
            comes = _TIME_COMES if old is None else _TIME_MOVES
            return values.draw(rng, now) if rng.random() < comes else old
        if rng.random() >= (_MATTER_MOVES if values.matters else _MOVES):
            return old
        return None if values.nullable and rng.random() < _NULL else values.draw(rng, now)

    def key_value(self, name: str, number: int, rng: random.Random, now: dt.datetime) -> Any:
        """A value of a key column that differs from those of other numbers, as far as it can."""
        values = self.values[name]
        numbered = values.numbered(number)
        return values.draw(rng, now) if numbered is None else numbered


def table_of(
    contract: type[SourceContract], name: str, constants: Constants, rng: random.Random
) -> Table:
    """The table of a part or lookup `name`, with the constants that rules compare it with."""
    values = {
        column: values_of(contract, column, constants.get((name, column), ()), rng)
        for column in contract.columns()
    }
    return Table(contract, values, contract.lifecycle(), contract.stable())
