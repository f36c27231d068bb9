"""Whole numbers and decimals by their digits, so that they meet without rounding."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

MAX_DIGITS = 38

_INTEGERS: dict[type[T.DataType], int] = {
    T.ByteType: 3,
    T.ShortType: 5,
    T.IntegerType: 10,
    T.LongType: 19,
}


@dataclass(frozen=True)
class Digits:
    """The most digits that a number type holds before and after the point."""

    whole: int
    scale: int

    def with_(self, other: Digits) -> Digits:
        """The digits that hold the values of both."""
        return Digits(max(self.whole, other.whole), max(self.scale, other.scale))


def digits(kind: T.DataType) -> Digits | None:
    """The digits of a whole number or decimal type; None for any other."""
    if isinstance(kind, T.DecimalType):
        return Digits(kind.precision - kind.scale, kind.scale)
    whole = _INTEGERS.get(type(kind))
    return None if whole is None else Digits(whole, 0)


def same_number(left: Column, left_digits: Digits, right: Column, right_digits: Digits) -> Column:
    """Null-safe equality of two exact numbers: 1.10 equals 1.1, and no digit is lost.

    Where no decimal is wide enough for both, their plain texts are compared instead: Spark would
    round one of them.
    """
    common = left_digits.with_(right_digits)
    if common.whole + common.scale <= MAX_DIGITS:
        kind = T.DecimalType(common.whole + common.scale, common.scale)
        return left.cast(kind).eqNullSafe(right.cast(kind))
    return _plain(left).eqNullSafe(_plain(right))


def _plain(number: Column) -> Column:
    text = number.cast("string")
    return F.when(text.contains("."), F.regexp_replace(text, r"\.?0+$", "")).otherwise(text)
