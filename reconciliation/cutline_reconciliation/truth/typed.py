"""Texts read back in the types of the new side's state, without loss."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare.names import named
from cutline_reconciliation.compare.numbers import MAX_DIGITS, digits

UNREADABLE = "_unreadable"


def typed(texts: DataFrame, types: Mapping[str, T.DataType]) -> DataFrame:
    """The texts' columns in the types given, and `_unreadable`: the columns that could not be.

    A value is unreadable if its text is none of the type, or if the type would round it. Null is
    null. Lists and structs are read from JSON. Times without a zone are UTC.
    """
    read = {name: _read(named(name), kind) for name, kind in types.items()}
    failed = [
        F.when(named(name).isNotNull() & ~good, F.lit(name)) for name, (_, good) in read.items()
    ]
    return texts.select(
        *(value.alias(name) for name, (value, _) in read.items()),
        F.filter(F.array(*failed), lambda name: name.isNotNull()).alias(UNREADABLE),
    )


def unreadable(name: str) -> Column:
    """An aggregate: the rows whose column `name` could not be read."""
    return F.count_if(F.array_contains(UNREADABLE, name))


def comparable_type(kind: T.DataType) -> T.DataType:
    """The type in which a text is to be read that meets a value of `kind`.

    For a number it is a decimal with room for digits that the other side lacks: half a cent in
    the legacy is a difference, not a defect.
    """
    known = digits(kind)
    if known is None:
        return kind
    whole = max(known.whole, 19)
    scale = max(known.scale, min(18, MAX_DIGITS - 1 - whole))
    return T.DecimalType(min(whole + scale, MAX_DIGITS), scale)


def _read(text: Column, kind: T.DataType) -> tuple[Column, Column]:
    """The value, and whether the text, where there is one, was read without loss."""
    if isinstance(kind, T.StringType):
        return text, F.lit(True)
    if isinstance(kind, (T.ArrayType, T.StructType)):
        return from_json_text(text, kind)
    value = text.try_cast(kind)
    if isinstance(kind, T.DecimalType):
        fine = T.DecimalType(MAX_DIGITS, MAX_DIGITS - kind.precision + kind.scale)
        return value, value.eqNullSafe(text.try_cast(fine)) & value.isNotNull()
    return value, value.isNotNull()


def from_json_text(text: Column, kind: T.DataType) -> tuple[Column, Column]:
    """The value of a type with parts that a text spells in JSON, and whether it does."""
    wrapped = F.concat(F.lit('{"value":'), text, F.lit("}"))
    schema = T.StructType([T.StructField("value", kind), T.StructField("bad", T.StringType())])
    read = F.from_json(wrapped, schema, {"columnNameOfCorruptRecord": "bad"})
    return read.getField("value"), read.isNotNull() & read.getField("bad").isNull()
