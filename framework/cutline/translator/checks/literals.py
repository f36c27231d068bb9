"""The literals of a check must be exact values of the column's type."""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Sequence
from decimal import Decimal

from pyspark.sql import types as T

_BITS = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32, T.LongType: 64}


def literal_fault(values: Sequence[object], data_type: T.DataType) -> str | None:
    """Why the values cannot be compared exactly with a column of the type; null if they can be."""
    for value in values:
        if (fault := _value_fault(value, data_type)) is not None:
            return f"{value!r} {fault}"
    if isinstance(data_type, T.DecimalType) and values:
        return _too_wide([decimal_shape(Decimal(str(v))) for v in values], data_type)
    return None


def decimal_shape(value: Decimal) -> tuple[int, int]:
    """The numbers of digits before and after the decimal point; (0, 0) for zero."""
    if not value:
        return 0, 0
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return max(len(digits) + exponent, 0), max(-exponent, 0)


def _value_fault(value: object, data_type: T.DataType) -> str | None:
    match data_type:
        case T.StringType():
            return _not_text(value)
        case T.BooleanType():
            return None if isinstance(value, bool) else "is not True or False"
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return _not_integer(value, _BITS[type(data_type)])
        case T.DecimalType():
            return _not_decimal(value)
        case T.FloatType() | T.DoubleType():
            return _not_float(value, single=isinstance(data_type, T.FloatType))
        case T.DateType():
            plain = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
            return None if plain else "is not a datetime.date"
        case T.TimestampType():
            return _not_moment(value)
        case T.BinaryType():
            return None if isinstance(value, bytes) else "is not bytes"
        case _:
            return "cannot be compared with it"


def _not_text(value: object) -> str | None:
    if not isinstance(value, str):
        return "is not a text"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "is not a Unicode text"
    return None


def _not_integer(value: object, bits: int) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return "is not a whole number"
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        return "is out of its range"
    return None


def _not_decimal(value: object) -> str | None:
    if isinstance(value, float):
        return "is a float, which has no exact decimal; write Decimal('…')"
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return "is not a number"
    return None if Decimal(value).is_finite() else "is not a number"


def _not_float(value: object, *, single: bool) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "is not a float"
    try:
        exact = float(value) == value
        if single and math.isfinite(value):
            exact = exact and struct.unpack("f", struct.pack("f", value))[0] == value
    except OverflowError:
        exact = False
    return None if exact else "is not exactly a value of it"


def _not_moment(value: object) -> str | None:
    if not isinstance(value, dt.datetime):
        return "is not a datetime.datetime"
    return None if value.tzinfo is not None else "has no time zone; say which, such as tzinfo=UTC"


def _too_wide(shapes: Sequence[tuple[int, int]], data_type: T.DecimalType) -> str | None:
    """Why Spark would round: it compares decimals in a common type of at most 38 digits."""
    before = max(data_type.precision - data_type.scale, *(s[0] for s in shapes))
    after = max(data_type.scale, *(s[1] for s in shapes))
    if before + after <= 38:
        return None
    return f"its values and the column's need {before + after} digits; 38 can be compared"
