"""The strategy of a table: its rows as they are created, and as a change leaves them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cutline.conformance.generate.column_strategy import ColumnStrategy, column_strategy
from cutline.conformance.generate.rule_constants import Constants
from cutline.testing.row import Row
from cutline.translator import Lifecycle, SourceContract

EXCLUDING = ("hold", "reject")
"""The values of `Lifecycle.otherwise` with which a row of an illegal transition is excluded."""

_ILLEGAL_TRANSITION = 0.15
_CHANGE, _CONSTANT_CHANGE, _STATUS_CHANGE = 0.15, 0.5, 0.7
_TIME_SET, _TIME_CORRECTED = 0.35, 0.1
_NULL = 0.15
"""How often, in one change of a row, each of these happens to a column."""


@dataclass(frozen=True)
class RowStrategy:
    """The strategies of a contract's columns, by name.

    Stable and key columns never change. A time that is set may be corrected, and is never null
    again. A status follows the lifecycle where the contract has one; without one, any value may
    follow any other.
    """

    contract: type[SourceContract]
    columns: Mapping[str, ColumnStrategy]
    lifecycle: Lifecycle | None
    stable: frozenset[str]

    def draw_created(
        self, rng: random.Random, now: dt.datetime, fixed: Mapping[str, Any], sparse: float
    ) -> Row:
        """A new row with `fixed` values by column.

        `sparse` is the probability of null in a nullable column; a fourth of it where rules have
        constants for the column.
        """
        values: dict[str, Any] = {}
        for name, column in self.columns.items():
            if name in fixed:
                values[name] = fixed[name]
            elif self.lifecycle is not None and name == self.lifecycle.column:
                values[name] = rng.choice(self.lifecycle.start)
            elif column.nullable and rng.random() < (
                sparse / 4 if column.has_rule_constants else sparse
            ):
                values[name] = None
            else:
                values[name] = column.draw(rng, now)
        return Row(self.contract, values)

    def draw_updated(
        self, rng: random.Random, now: dt.datetime, row: Row, fixed: Mapping[str, Any]
    ) -> Row:
        """The row after one change; sometimes equal to the row before it."""
        values = {
            name: self._draw_next(rng, now, column, row.named[name])
            for name, column in self.columns.items()
            if name not in self.stable and name not in fixed
        }
        return Row(self.contract, {**row.named, **values})

    def _draw_next(
        self, rng: random.Random, now: dt.datetime, column: ColumnStrategy, old: Any
    ) -> Any:
        """The value of a column after one change, which is often the old one."""
        if self.lifecycle is not None and column.name == self.lifecycle.column:
            following: Sequence[Any] = self.lifecycle.follows.get(old, ())
            if self.lifecycle.otherwise in EXCLUDING and rng.random() < _ILLEGAL_TRANSITION:
                following = self.lifecycle.statuses
            return rng.choice(following) if following and rng.random() < _STATUS_CHANGE else old
        if column.is_time:
            change = _TIME_SET if old is None else _TIME_CORRECTED
            return column.draw(rng, now) if rng.random() < change else old
        if rng.random() >= (_CONSTANT_CHANGE if column.has_rule_constants else _CHANGE):
            return old
        return None if column.nullable and rng.random() < _NULL else column.draw(rng, now)

    def draw_key(self, name: str, number: int, rng: random.Random, now: dt.datetime) -> Any:
        """A value of a key column, another for each number where the column allows it."""
        column = self.columns[name]
        value = column.value_of_number(number)
        return column.draw(rng, now) if value is None else value


def row_strategy(
    contract: type[SourceContract], name: str, constants: Constants, rng: random.Random
) -> RowStrategy:
    """The strategy of the part or lookup `name`, with the constants that rules have for it."""
    columns = {
        column: column_strategy(contract, column, constants.get((name, column), ()), rng)
        for column in contract.columns()
    }
    return RowStrategy(contract, columns, contract.lifecycle(), contract.stable())
