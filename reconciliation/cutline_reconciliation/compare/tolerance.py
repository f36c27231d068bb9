"""Tolerances: differences that are forgiven, and counted apart."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.numbers import MAX_DIGITS, Digits, digits


@dataclass(frozen=True)
class Tolerance:
    """The largest absolute difference that is forgiven, in the column's own unit."""

    absolute: Decimal

    def __post_init__(self) -> None:
        if not self.absolute.is_finite() or self.absolute < 0:
            raise ConfigurationError(f"a tolerance must be a number from 0, not {self.absolute}")


def within(
    name: str,
    tolerance: Tolerance,
    left: Column,
    left_type: T.DataType,
    right: Column,
    right_type: T.DataType,
) -> Column:
    """Whether two values differ by no more than the tolerance, exactly; false if one is null.

    Raises ConfigurationError where the difference would not be exact: for floating point, and for
    decimals so unlike that their difference needs more than 38 digits.
    """
    common = _common(name, left_type, right_type)
    kind = T.DecimalType(common.whole + common.scale, common.scale)
    difference = F.abs(right.cast(kind) - left.cast(kind))
    return F.coalesce(difference <= _limit(tolerance.absolute, common.scale), F.lit(False))


def _common(name: str, left: T.DataType, right: T.DataType) -> Digits:
    sides = digits(left), digits(right)
    if sides[0] is None or sides[1] is None:
        raise ConfigurationError(
            f"column {name} has a tolerance, but its types {left.simpleString()} and "
            f"{right.simpleString()} are not both whole numbers or decimals",
            next_step="Cast it to a decimal on both sides, or leave the tolerance out.",
        )
    common = sides[0].with_(sides[1])
    if common.whole + common.scale + 1 > MAX_DIGITS:
        raise ConfigurationError(
            f"column {name} has a tolerance, but the difference of {left.simpleString()} and "
            f"{right.simpleString()} needs more than 38 digits",
            next_step="Cast it to a narrower decimal on one side, or leave the tolerance out.",
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
