"""Columns of texts parsed into the types of the other side, without loss."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.sources import cast_text
from cutline.sql.spark import quoted
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS, digits

UNREADABLE = "_unreadable"
_TIME = r"^\s*[0-9]{4}-[^.]*(?:\.[0-9]{1,6}0*(?![0-9]).*)?$"
"""A day and perhaps a time of it, no finer than microseconds. Spark would cut what is finer, and
take a time without a day for one of today."""


def parse_texts(texts: DataFrame, types: Mapping[str, T.DataType]) -> DataFrame:
    """The columns of `texts` in the types given, and `_unreadable`, an array with the names of the
    columns whose text could not be read.

    A text is unreadable if it is no value of the type, or if the type would round it. Null stays
    null. Lists and structs are read from JSON. Times without a zone are UTC, days at midnight.
    """
    read = {name: _parsed(name, kind) for name, kind in types.items()}
    failed = [
        F.when(quoted_column(name).isNotNull() & ~good, F.lit(name))
        for name, (_, good) in read.items()
    ]
    return texts.select(
        *(value.alias(name) for name, (value, _) in read.items()),
        F.filter(F.array(*failed), lambda name: name.isNotNull()).alias(UNREADABLE),
    )


def count_unreadable(name: str) -> Column:
    """An aggregate: the rows whose column `name` could not be read."""
    return F.count_if(F.array_contains(UNREADABLE, name))


def comparable_type(kind: T.DataType) -> T.DataType:
    """The type into which a text is parsed that is compared with a value of `kind`.

    For a number it is a decimal with room for digits that the other side lacks: half a cent in
    the legacy is a difference, not a defect.
    """
    own_digits = digits(kind)
    if own_digits is None:
        return kind
    whole = max(own_digits.whole, 19)
    scale = max(own_digits.scale, min(18, MAX_DIGITS - 1 - whole))
    return T.DecimalType(min(whole + scale, MAX_DIGITS), scale)


def _parsed(name: str, kind: T.DataType) -> tuple[Column, Column]:
    """The value, and whether the text, where there is one, was read without loss."""
    text = quoted_column(name)
    if isinstance(kind, T.StringType):
        return text, F.lit(True)
    if isinstance(kind, (T.ArrayType, T.StructType)):
        return from_json_text(text, kind)
    if isinstance(kind, (T.NumericType, T.DateType)):
        value = F.expr(cast_text(quoted(name), kind.simpleString()))
    elif isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
        value = F.when(text.rlike(_TIME), text.try_cast(kind))
    else:
        value = text.try_cast(kind)
    return value, value.isNotNull()


def from_json_text(text: Column, kind: T.DataType) -> tuple[Column, Column]:
    """The value of a list or struct that a JSON text holds, and whether the text holds one."""
    wrapped = F.concat(F.lit('{"value":'), text, F.lit("}"))
    schema = T.StructType([T.StructField("value", kind), T.StructField("bad", T.StringType())])
    read = F.from_json(wrapped, schema, {"columnNameOfCorruptRecord": "bad"})
    return read.getField("value"), read.isNotNull() & read.getField("bad").isNull()
