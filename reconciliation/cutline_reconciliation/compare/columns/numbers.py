"""The digits of number types, so that two types are compared without rounding."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.spark.number_text import NUMBER

MAX_DIGITS = 38
NO_NUMBER = r"^\s*(?:[nN][aA][nN]|[+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)\s*$"
"""The values of floating point that are no numbers: NaN, Infinity and inf, in any case."""
SPELT_NUMBER = f"{NUMBER}|{NO_NUMBER}"

_INTEGERS: dict[type[T.DataType], int] = {
    T.ByteType: 3,
    T.ShortType: 5,
    T.IntegerType: 10,
    T.LongType: 19,
}


@dataclass(frozen=True)
class TypeDigits:
    """The most digits that a number type holds before and after the point."""

    whole: int
    scale: int

    def widened_by(self, more: TypeDigits) -> TypeDigits:
        """The digits of a type for the values of both."""
        return TypeDigits(max(self.whole, more.whole), max(self.scale, more.scale))


def digits(kind: T.DataType) -> TypeDigits | None:
    """The digits of a whole number or decimal type; None for any other."""
    if isinstance(kind, T.DecimalType):
        return TypeDigits(kind.precision - kind.scale, kind.scale)
    whole = _INTEGERS.get(type(kind))
    return None if whole is None else TypeDigits(whole, 0)


def is_floating(kind: T.DataType) -> bool:
    """Whether the type is float or double."""
    return isinstance(kind, (T.FloatType, T.DoubleType))


def plain_digits(number: Column) -> Column:
    """An exact number's digits as text, without zeros at its end: 1.10 is 1.1."""
    text = number.cast("string")
    return F.when(text.contains("."), F.regexp_replace(text, r"\.?0+$", "")).otherwise(text)
