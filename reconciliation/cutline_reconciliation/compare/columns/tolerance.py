"""Tolerances: rules that forgive small differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.columns.numbers import (
    MAX_DIGITS,
    TypeDigits,
    digits,
    is_floating,
)
from cutline_reconciliation.compare.rules import ColumnRules

_DURATION = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]+?)s?\s*")
_MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 10**3,
    "second": 10**6,
    "minute": 60 * 10**6,
    "hour": 3600 * 10**6,
    "day": 86400 * 10**6,
}
_TIMES = (T.TimestampType, T.TimestampNTZType, T.DateType)


@dataclass(frozen=True)
class ToleranceRule:
    """A rule that forgives by the distance of two values."""

    rule: str
    """`tolerance` or `relative`."""
    holds: Callable[[Column, Column], Column]
    """Whether it forgives the difference of two values; false if one is null or NaN."""


def tolerance_rules(name: str, kind: T.DataType, rules: ColumnRules) -> list[ToleranceRule]:
    """The tolerances of a column whose values are compared as `kind`.

    They are exact for whole numbers, decimals and times; floating point has its own arithmetic.
    ConfigurationError, naming the column, for types without tolerance, or if a difference would
    need too many digits.
    """
    declared = []
    if rules.tolerance is not None:
        declared.append(ToleranceRule("tolerance", _absolute(name, kind, rules)))
    if rules.relative is not None:
        declared.append(ToleranceRule("relative", _relative(name, kind, rules.relative)))
    return declared


def _absolute(
    name: str, kind: T.DataType, rules: ColumnRules
) -> Callable[[Column, Column], Column]:
    if isinstance(kind, _TIMES):
        longest = _duration(name, rules.tolerance)
        # Two moments can be further apart than a bigint holds.
        return lambda a, b: _true_only(
            F.abs(F.try_subtract(_micros(a, kind), _micros(b, kind))) <= longest
        )
    if not isinstance(rules.tolerance, Decimal):
        raise ConfigurationError(
            f"column {name}: tolerance {rules.tolerance!r} is no number, and the column is "
            f"{kind.simpleString()}"
        )
    limit = rules.tolerance.scaleb(-rules.minor_units)
    if is_floating(kind):
        return lambda a, b: _true_only(F.abs(a - b) <= float(limit))
    common = _exact(name, kind, 1)
    wide = T.DecimalType(common.whole + common.scale, common.scale)
    most = _limit(limit, common.scale)
    return lambda a, b: _true_only(F.abs(a.cast(wide) - b.cast(wide)) <= most)


def _relative(name: str, kind: T.DataType, share: Decimal) -> Callable[[Column, Column], Column]:
    if is_floating(kind):
        # Spark orders NaN above infinity: no share forgives either distance.
        return lambda a, b: _true_only(
            (F.abs(a - b) < float("inf"))
            & (F.abs(a - b) <= F.greatest(F.abs(a), F.abs(b)) * float(share))
        )
    share = Decimal(f"{share:f}")
    places = max(0, -int(share.normalize().as_tuple().exponent))
    common = _exact(name, kind, 1 + len(share.as_tuple().digits) + places)
    wide = T.DecimalType(common.whole + common.scale, common.scale)
    factor = F.lit(str(share)).cast(T.DecimalType(len(share.as_tuple().digits) + places, places))

    def near(a: Column, b: Column) -> Column:
        left, right = a.cast(wide), b.cast(wide)
        return _true_only(F.abs(left - right) <= F.greatest(F.abs(left), F.abs(right)) * factor)

    return near


def _true_only(condition: Column) -> Column:
    return F.coalesce(condition, F.lit(False))


def _duration(name: str, written: Decimal | str | None) -> int:
    """A duration in microseconds."""
    match = _DURATION.fullmatch(str(written).lower())
    if match is None or match[2] not in _MICROSECONDS:
        raise ConfigurationError(
            f"column {name} holds times, and its tolerance {str(written)!r} is no duration",
            next_step=f"Write a number and one of: {', '.join(_MICROSECONDS)}; such as 2 seconds.",
        )
    return int(Decimal(match[1]) * _MICROSECONDS[match[2]])


def _micros(value: Column, kind: T.DataType) -> Column:
    if isinstance(kind, T.DateType):
        return F.unix_date(value).cast("bigint") * _MICROSECONDS["day"]
    # A time without a zone is read as if it were one of UTC; only differences are taken.
    return F.unix_micros(value.cast("timestamp"))


def _exact(name: str, kind: T.DataType, more: int) -> TypeDigits:
    common = digits(kind)
    if common is None or common.whole + common.scale + more > MAX_DIGITS:
        why = (
            f"a difference of {kind.simpleString()} needs more than 38 digits"
            if common
            else f"it is compared as {kind.simpleString()}"
        )
        raise ConfigurationError(
            f"column {name} has a tolerance, but {why}",
            next_step="Cast it to a narrower decimal on both sides, or leave the tolerance out.",
        )
    return common


def _limit(absolute: Decimal, scale: int) -> Column:
    """The tolerance at the difference's own scale.

    A difference has no more than `scale` decimals, so rounding the limit down forgives the same
    ones, and the comparison needs no wider decimal.
    """
    exact = Context(prec=2 * MAX_DIGITS)
    largest = Decimal((0, (9,) * MAX_DIGITS, -scale))
    floor = min(absolute, largest).quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR, exact)
    return F.lit(str(floor)).cast(T.DecimalType(MAX_DIGITS, scale))
