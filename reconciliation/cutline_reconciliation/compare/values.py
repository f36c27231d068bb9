"""Two values side by side: whether they are the same, their text, and their difference.

The rules: null equals null and nothing else. Whole numbers and decimals are compared exactly, at
any size, and 1.10 equals 1.1. Floating point equals floating point only: NaN equals NaN, and -0.0
equals 0.0, because they are the same number. Timestamps are instants; one without a zone is another
type. Texts and binaries are equal byte by byte: no trimming, no case, no Unicode form. Arrays are
lists; structs go field by field, and a null struct is not a struct of nulls.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare.numbers import digits, same_number

AMOUNT = "decimal(38,6)"
_INSTANT = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
_LOCAL = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"


def same(
    name: str, left: Column, left_type: T.DataType, right: Column, right_type: T.DataType
) -> Column:
    """Null-safe equality of two values by the rules above.

    Raises ConfigurationError, naming the column, for types that cannot be compared.
    """
    left_digits, right_digits = digits(left_type), digits(right_type)
    if left_digits is not None and right_digits is not None:
        return same_number(left, left_digits, right, right_digits)
    if _floating(left_type) and _floating(right_type):
        return left.cast("double").eqNullSafe(right.cast("double"))
    if left_type.simpleString() != right_type.simpleString():
        raise ConfigurationError(
            f"column {name} is {left_type.simpleString()} on the left and "
            f"{right_type.simpleString()} on the right, which cannot be compared exactly",
            next_step="Cast one of them to the type of the other.",
        )
    if _holds(left_type, (T.MapType, T.VariantType)):
        raise ConfigurationError(
            f"column {name} is {left_type.simpleString()}, which cannot be compared exactly",
            next_step="Compare its entries as an array, sorted by key.",
        )
    return left.eqNullSafe(right)


def text(column: Column, kind: T.DataType) -> Column:
    """A value as people read it; null for null.

    Decimals plainly, timestamps in UTC with microseconds, binaries in hexadecimal digits, arrays
    and structs as JSON with their nulls.
    """
    if isinstance(kind, T.TimestampType):
        return F.date_format(column, _INSTANT)
    if isinstance(kind, T.TimestampNTZType):
        return F.date_format(column, _LOCAL)
    if isinstance(kind, T.BinaryType):
        return F.hex(column)
    if isinstance(kind, (T.ArrayType, T.StructType)):
        formats = {"timestampFormat": _INSTANT, "timestampNTZFormat": _LOCAL}
        return F.to_json(column, {"ignoreNullFields": "false", **formats})
    return column.cast("string")


def amount(left: Column, left_type: T.DataType, right: Column, right_type: T.DataType) -> Column:
    """Right minus left with six decimals, rounded; null unless both are numbers that fit."""
    if not (_number(left_type) and _number(right_type)):
        return F.lit(None).cast(AMOUNT)
    return F.try_subtract(right.try_cast(AMOUNT), left.try_cast(AMOUNT)).try_cast(AMOUNT)


def _number(kind: T.DataType) -> bool:
    return isinstance(kind, T.NumericType)


def _floating(kind: T.DataType) -> bool:
    return isinstance(kind, (T.FloatType, T.DoubleType))


def _holds(kind: T.DataType, sought: tuple[type[T.DataType], ...]) -> bool:
    if isinstance(kind, T.ArrayType):
        return _holds(kind.elementType, sought)
    if isinstance(kind, T.StructType):
        return any(_holds(f.dataType, sought) for f in kind.fields)
    return isinstance(kind, sought)
