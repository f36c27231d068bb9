"""Columns as a query asks for them: with the database's type where Arrow holds it exactly, else as
text.

A column is handed over with its type only where that is the type that the contract asks for: the
values are then those that its text would be read as. All others are texts, as those of a file are,
and go through the same exact casts.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import types as T

from cutline.sources.postgres.catalog import CatalogColumn
from cutline.sql.standard import quoted

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_NATIVE: Mapping[str, tuple[str, ...]] = {
    "bool": ("boolean",),
    "int2": _INTEGERS,
    "int4": _INTEGERS,
    "int8": _INTEGERS,
    "float4": ("float",),
    "float8": ("double",),
    "text": ("string",),
    "varchar": ("string",),
    "bytea": ("binary",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz"),
    "timestamptz": ("timestamp",),
}
"""By type of the database, the types of contracts for which it is handed over as it is."""

_SPARK: Mapping[str, T.DataType] = {
    "bool": T.BooleanType(),
    "int2": T.ShortType(),
    "int4": T.IntegerType(),
    "int8": T.LongType(),
    "float4": T.FloatType(),
    "float8": T.DoubleType(),
    "text": T.StringType(),
    "varchar": T.StringType(),
    "bytea": T.BinaryType(),
    "date": T.DateType(),
    "timestamp": T.TimestampNTZType(),
    "timestamptz": T.TimestampType(),
}
_ARROW: Mapping[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "text": pa.string(),
    "varchar": pa.string(),
    "bytea": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
}


def is_native(column: CatalogColumn, ddl: str) -> bool:
    """Whether the column is handed over with its type to a contract that asks for `ddl`."""
    return ddl.strip().lower() in _NATIVE.get(column.type_name, ())


def value_sql(column: CatalogColumn, ddl: str, *, native: bool) -> str:
    """SQL for the value, under the column's own name.

    An amount of `money` is a number for a contract that asks for one: its text is written as the
    server's country does.
    """
    name = quoted(column.name)
    if native:
        return name
    is_number = ddl.strip().lower().startswith(("decimal", "double", "float", *_INTEGERS))
    if column.type_name == "money" and is_number:
        return f"{name}::numeric::text AS {name}"
    return f"{name}::text AS {name}"


def spark_type(column: CatalogColumn, *, native: bool) -> T.DataType:
    """The type in which Spark reads what was handed over."""
    return _SPARK[column.type_name] if native else T.StringType()


def arrow_type(column: CatalogColumn, *, native: bool) -> pa.DataType:
    """The type in which it is written."""
    return _ARROW[column.type_name] if native else pa.string()
