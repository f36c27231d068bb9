"""Columns as a query asks for them: as the server's own texts, bytes as bytes.

A text goes through the same exact casts as that of a file. What a text would bend is asked for in
another way: a `float` shows six digits of its own accord, and a `bit` is bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources.mysql.catalog import MysqlColumn, MysqlTable
from cutline.sources.used_tables import UsedTable
from cutline.sql.mysql import quoted

_INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json")
_TIMES = ("date", "datetime", "timestamp", "time", "year")
_NETS = ("uuid", "inet4", "inet6")
_BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_FLOATS = ("float", "double")
_CARRIED = {*_INTEGERS, "decimal", *_TEXTS, *_TIMES, *_NETS, *_BYTES, *_FLOATS, "bit"}

_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
SAME_KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_INTEGERS, (*_WHOLE_NUMBERS, "string")),
    **dict.fromkeys(("char", "varchar", "uuid"), ("string",)),
    "date": ("date", "string"),
}
"""By type of the database, the types of contracts in which two different keys stay different."""


def is_bytes(column: MysqlColumn) -> bool:
    """Whether the column holds bytes, and no characters."""
    return column.type_name in _BYTES


def mysql_value_sql(column: MysqlColumn) -> str:
    """SQL for the value, under the column's own name."""
    name = quoted(column.name)
    if column.type_name in _FLOATS:
        return f"CAST({name} AS DOUBLE) AS {name}"
    if column.type_name == "bit":
        return f"CAST({name} AS UNSIGNED) AS {name}"
    return name


def mysql_arrow_type(column: MysqlColumn) -> pa.DataType:
    """The type in which it is written."""
    return pa.binary() if is_bytes(column) else pa.string()


def mysql_spark_type(column: MysqlColumn) -> T.DataType:
    """The type in which Spark reads it."""
    return T.BinaryType() if is_bytes(column) else T.StringType()


def refuse_bent_columns(table: UsedTable, catalog: MysqlTable, place: str) -> None:
    """ConfigurationError, naming the `place`, for a column that no text carries, or of which the
    contract asks bytes where there are characters, or a number where there are bytes.
    """
    for contract, shape in zip(table.contracts, table.shapes, strict=True):
        for column in catalog.columns:
            ddl = shape.get(column.name)
            if ddl is None:
                continue
            shown = f"{place}: column {column.name!r} is {column.declared}"
            if column.type_name not in _CARRIED:
                raise ConfigurationError(
                    f"{shown}, which has no text that holds all of it",
                    next_step="Leave it out of the contract, or read a generated column that says "
                    "as text what is needed of it.",
                )
            if is_bytes(column) != (ddl == "binary") and not (is_bytes(column) and ddl == "string"):
                raise ConfigurationError(
                    f"{shown}, and contract {contract.__name__} declares it as {ddl}",
                    next_step="Declare bytes as binary, or as a string if they spell a text in "
                    "UTF-8, and anything else by what it is.",
                )
