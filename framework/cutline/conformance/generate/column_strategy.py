"""The strategy of a column: the values that it takes in generated histories."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql import types as T

from cutline.conformance.generate.checks import check_values, passes_checks, pattern_text
from cutline.conformance.generate.pattern import text_matching
from cutline.context.decimals import WIDE
from cutline.errors import ConfigurationError
from cutline.testing.literals import literal
from cutline.translator import SourceContract

_FAR_PAST = dt.datetime(1900, 1, 1, tzinfo=dt.UTC)
_TEXTS_PER_PATTERN = 12


@dataclass(frozen=True)
class ColumnStrategy:
    """The values of one column: a `pool` to draw from; times are drawn relative to a moment.

    `has_rule_constants` says that rules compare the column with constants.
    """

    name: str
    data_type: T.DataType
    nullable: bool
    pool: tuple[Any, ...]
    checks: tuple[Any, ...]
    has_rule_constants: bool = False

    @property
    def is_time(self) -> bool:
        """Whether the column is a timestamp, with or without a zone, or a date."""
        return isinstance(self.data_type, T.TimestampType | T.TimestampNTZType | T.DateType)

    def draw(self, rng: random.Random, now: dt.datetime) -> Any:
        """A random value that passes the contract's checks; null where there is none.

        A time lies mostly shortly before `now`, sometimes at it, and rarely in the far past.
        """
        if self.is_time:
            return self._draw_time(rng, now)
        return rng.choice(self.pool) if self.pool else None

    def value_of_number(self, number: int) -> Any:
        """A value that other numbers do not have, where the type and the checks allow it.

        Else a value of the pool, which several numbers share; null where the pool is empty.
        """
        value: Any = None
        match self.data_type:
            case T.StringType():
                value = f"{self.name}-{number}"
            case T.ByteType() | T.BooleanType():
                value = None
            case T.IntegralType():
                value = number + 1
            case T.DecimalType():
                value = _converted(number + 1, self.data_type)
        if value is None or not passes_checks(value, self.checks):
            value = self.pool[number % len(self.pool)] if self.pool else None
        return value

    def _draw_time(self, rng: random.Random, now: dt.datetime) -> Any:
        seconds = rng.choice((0, 1, 60, 3_600, 86_400, 40 * 86_400))
        drawn = _FAR_PAST if rng.random() < 0.03 else now - dt.timedelta(seconds=seconds)
        for moment in (drawn, now, *self.pool):
            value = _as_time_type(moment, self.data_type)
            if passes_checks(value, self.checks):
                return value
        return None


def column_strategy(
    contract: type[SourceContract], name: str, constants: Sequence[Any], rng: random.Random
) -> ColumnStrategy:
    """The strategy of a column, from its checks and the `constants` that rules compare it with.

    ConfigurationError where the column is not nullable and no value could be made that passes its
    checks.
    """
    column = contract.columns()[name]
    data_type = column.dtype.type
    checks = tuple(column.checks)
    named = [_converted(value, data_type) for value in (*check_values(checks), *constants)]
    values = [*named, *_type_values(data_type, name, checks, rng)]
    if isinstance(data_type, T.StringType) and any(named):
        values = [*named, *(f"{name}-{letter}" for letter in "abc"[: max(1, 3 - len(named))])]
    allowed = (v for v in values if _is_hashable(v) and passes_checks(v, checks))
    pool = tuple(dict.fromkeys(allowed))
    strategy = ColumnStrategy(name, data_type, bool(column.nullable), pool, checks, bool(constants))
    if not pool and not column.nullable and not strategy.is_time:
        raise ConfigurationError(
            f"contract {contract.__name__}, column {name}: no value could be made that keeps its "
            f"checks ({', '.join(str(c.name) for c in checks)})",
            next_step="Name its values with isin=[…], or a simpler pattern.",
        )
    return strategy


def _type_values(
    data_type: T.DataType, name: str, checks: Sequence[Any], rng: random.Random
) -> list[Any]:
    """Values of a type, some of them next to the limits of checks; empty for types without any."""
    match data_type:
        case T.StringType():
            return _texts(name, checks, rng)
        case T.BooleanType():
            return [True, False]
        case T.ByteType():
            return [0, 1, 7, -1]
        case T.IntegralType():
            limits = [value for value in check_values(checks) if isinstance(value, int)]
            return [*(v + d for v in limits for d in (-1, 1)), 0, 1, 2, 7, 1_000, -1]
        case T.DecimalType():
            return _decimals(data_type, checks)
        case T.FractionalType():
            return [0.0, 1.0, 2.5, -1.0]
        case T.BinaryType():
            return [b"", b"\x00\xff"]
        case T.ArrayType():
            elements = _type_values(data_type.elementType, name, (), rng)
            return [(), tuple(elements[:1]), tuple(elements[:2])]
        case _:
            return []


def _texts(name: str, checks: Sequence[Any], rng: random.Random) -> list[str]:
    """Texts of several lengths, and such as the patterns and lengths of checks ask for."""
    texts = [f"{name}-a", f"{name}-b", f"{name}-c", "x", "xy", "xyz", "", "ABCDEFGH"]
    for check in checks:
        statistics = dict(check.statistics)
        if "pattern" in statistics:
            pattern = pattern_text(statistics["pattern"])
            drawn = (text_matching(pattern, rng) for _ in range(_TEXTS_PER_PATTERN))
            texts += [text for text in drawn if text is not None]
        if "string" in statistics:
            part = statistics["string"]
            texts += [part, *(f"{part}{letter}" for letter in "ab")]
            texts += [f"{letter}{part}" for letter in "ab"]
        if check.name == "str_length":
            limits = (statistics.get("min_value"), statistics.get("max_value"))
            texts += [letter * n for n in limits if n is not None for letter in "ab"]
    return texts


def _decimals(data_type: T.DecimalType, checks: Sequence[Any]) -> list[Decimal]:
    """Decimals that fit the type, some of them one unit beside the limits of checks."""
    unit = Decimal(1).scaleb(-data_type.scale)
    limits = [Decimal(str(value)) for value in check_values(checks)]
    near_limits = [WIDE.add(limit, step) for limit in limits for step in (-unit, unit)]
    numbers = [*near_limits, Decimal(0), unit, -unit, Decimal(1), Decimal("12"), Decimal(1234)]
    upper = Decimal(10) ** (data_type.precision - data_type.scale)
    fitting = [number for number in numbers if number.copy_abs() < upper]
    return [number.quantize(unit, context=WIDE) for number in fitting]


def _converted(value: Any, data_type: T.DataType) -> Any:
    """A value of a check or a rule in the column's type; null where it does not fit."""
    try:
        return literal(value, data_type, "")
    except ConfigurationError:
        return None


def _is_hashable(value: Any) -> bool:
    return value is not None and value.__hash__ is not None


def _as_time_type(moment: Any, data_type: T.DataType) -> Any:
    """A moment as a date, as a time without a zone, or as it is."""
    if isinstance(data_type, T.DateType):
        return moment.date() if isinstance(moment, dt.datetime) else moment
    return moment.replace(tzinfo=None) if isinstance(data_type, T.TimestampNTZType) else moment
