"""Values as text, and the difference of two numbers."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

AMOUNT = "decimal(38,6)"
_INSTANT = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
_LOCAL = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"


def value_text(column: Column, kind: T.DataType) -> Column:
    """A value as text; null for null.

    Decimals are without exponent, timestamps in UTC with microseconds, binaries in hexadecimal
    digits, arrays, maps and structs in JSON with their nulls.
    """
    if isinstance(kind, T.TimestampType):
        return F.date_format(column, _INSTANT)
    if isinstance(kind, T.TimestampNTZType):
        return F.date_format(column, _LOCAL)
    if isinstance(kind, T.BinaryType):
        return F.hex(column)
    if isinstance(kind, (T.ArrayType, T.StructType, T.MapType)):
        formats = {"timestampFormat": _INSTANT, "timestampNTZFormat": _LOCAL}
        return F.to_json(column, {"ignoreNullFields": "false", **formats})
    return column.cast("string")


def numeric_difference(
    left: Column, left_type: T.DataType, right: Column, right_type: T.DataType
) -> Column:
    """Right minus left, rounded to six decimals; null unless both are numbers and it fits."""
    if not (_is_number(left_type) and _is_number(right_type)):
        return F.lit(None).cast(AMOUNT)
    return F.try_subtract(right.try_cast(AMOUNT), left.try_cast(AMOUNT)).try_cast(AMOUNT)


def _is_number(kind: T.DataType) -> bool:
    return isinstance(kind, T.NumericType)
