"""Columns of texts parsed into the types of the other side, without loss."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.sources import cast_text
from cutline.spark.json_text import parsed_sql
from cutline.sql.spark import quoted
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS, digits

UNREADABLE = "_unreadable"
_TIME = r"^\s*[0-9]{4}-[^.]*(?:\.[0-9]{1,6}0*(?![0-9]).*)?$"
"""A day with or without a time, in microseconds at most.

Spark would truncate finer times, and read a time without a day as one of today.
"""


def parse_texts(texts: DataFrame, types: Mapping[str, T.DataType]) -> DataFrame:
    """The columns of `texts` in the given types, and `_unreadable`.

    `_unreadable` is an array of the names of columns whose text is no value of the type, or would
    be rounded. Null stays null. Lists and structs are read from JSON. Times without a zone are UTC,
    days at midnight.
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
    """An aggregate: the number of rows whose column `name` is unreadable."""
    return F.count_if(F.array_contains(UNREADABLE, name))


def comparable_type(kind: T.DataType) -> T.DataType:
    """The type into which a text is parsed for comparison with values of `kind`.

    For numbers it is a decimal with more digits than the other side: half a cent in the legacy is a
    difference, and no defect.
    """
    own_digits = digits(kind)
    if own_digits is None:
        return kind
    whole = max(own_digits.whole, 19)
    scale = max(own_digits.scale, min(18, MAX_DIGITS - 1 - whole))
    return T.DecimalType(min(whole + scale, MAX_DIGITS), scale)


def _parsed(name: str, kind: T.DataType) -> tuple[Column, Column]:
    """The value, and whether the text was read without loss."""
    text = quoted_column(name)
    if isinstance(kind, T.StringType):
        return text, F.lit(True)
    if isinstance(kind, (T.ArrayType, T.StructType)):
        return from_json_text(name, kind)
    if isinstance(kind, (T.NumericType, T.DateType)):
        value = F.expr(cast_text(quoted(name), kind.simpleString()))
    elif isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
        value = F.when(text.rlike(_TIME), text.try_cast(kind))
    else:
        value = text.try_cast(kind)
    return value, value.isNotNull()


def from_json_text(name: str, kind: T.DataType) -> tuple[Column, Column]:
    """The list or struct of the JSON text in column `name`, and whether the text is one: a whole
    value and nothing behind it, in double quotes, no key twice."""
    wrapped = F.concat(F.lit('{"value":'), quoted_column(name), F.lit("}"))
    schema = T.StructType([T.StructField("value", kind), T.StructField("bad", T.StringType())])
    read = F.from_json(wrapped, schema, {"columnNameOfCorruptRecord": "bad"})
    is_json = F.expr(f"{parsed_sql(quoted(name))} IS NOT NULL")
    return read.getField("value"), is_json & read.isNotNull() & read.getField("bad").isNull()
