"""Columns in readable form: structs as JSON text, times as text in UTC."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

_LOCAL = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
_ZULU = f"{_LOCAL}'Z'"


def readable(frame: DataFrame) -> DataFrame:
    """The same rows with structs as JSON text and times as text in UTC.

    A time without a zone is shown as it is, without a Z.
    """
    return frame.select(*(_readable(field).alias(field.name) for field in frame.schema.fields))


def _readable(field: T.StructField) -> Column:
    column = F.col(f"`{field.name}`")
    if isinstance(field.dataType, T.TimestampType):
        return F.date_format(column, _ZULU)
    if isinstance(field.dataType, T.TimestampNTZType):
        return F.date_format(column, _LOCAL)
    if isinstance(field.dataType, T.StructType | T.MapType | T.ArrayType):
        formats = {"timestampFormat": _ZULU, "timestampNTZFormat": _LOCAL}
        return F.to_json(column, {**formats, "ignoreNullFields": "false"})
    return column
