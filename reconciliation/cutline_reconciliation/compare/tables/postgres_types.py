"""PostgreSQL's types: the SQL for a value's text, and the type in which the text is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.spark import json_text
from cutline.sql.spark import quoted as spark_name
from cutline.sql.standard import quoted
from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS
from cutline_reconciliation.compare.tables.column_readings import (
    SourceColumn,
    ValueKind,
    value_kinds,
)
from cutline_reconciliation.compare.tables.fetched_table import TableRows
from cutline_reconciliation.compare.tables.value_digits import digits_sql, value_digits

if TYPE_CHECKING:
    import psycopg
    from psycopg.types import TypesRegistry

_KINDS: dict[str, T.DataType] = {
    "bool": T.BooleanType(),
    "int2": T.ShortType(),
    "int4": T.IntegerType(),
    "int8": T.LongType(),
    "float4": T.FloatType(),
    "float8": T.DoubleType(),
    "date": T.DateType(),
    "timestamp": T.TimestampNTZType(),
    "timestamptz": T.TimestampType(),
    "bytea": T.BinaryType(),
}
_IN_JSON = {*_KINDS, "text", "varchar", "bpchar", "uuid"} - {"bytea"}
"""What JSON, the text of an array, tells as Spark reads it."""


@dataclass(frozen=True)
class PostgresColumn:
    """A column of an answer."""

    name: str
    type_text: str
    """The type as PostgreSQL writes it."""
    kind: T.DataType | None
    """The type that holds every value; None for types without a counterpart, or not known before
    the values.
    """
    firm: bool
    as_text: str
    """SQL for its text."""
    number: bool = False
    """Whether it is a `numeric` without precision, whose values decide the type."""
    json: bool = False


def column_of(described: psycopg.Column, types: TypesRegistry) -> PostgresColumn:
    """The column by its declaration, before any value is read."""
    type_text, name = described.type_display, quoted(described.name)
    info = types.get(described.type_code)
    base = info.name if info else ""
    if info and described.type_code == info.array_oid:
        element = _KINDS.get(base, T.StringType()) if base in _IN_JSON else None
        return PostgresColumn(
            described.name,
            type_text,
            None if element is None else T.ArrayType(element),
            element is not None,
            f"array_to_json({name})::text",
            json=True,
        )
    if base == "numeric":
        return _numeric(described, type_text, name)
    if base in ("json", "jsonb"):
        return PostgresColumn(described.name, type_text, None, False, f"{name}::text", json=True)
    kind = _KINDS.get(base, T.StringType())
    return PostgresColumn(described.name, type_text, kind, True, f"{name}::text")


def _numeric(described: psycopg.Column, type_text: str, name: str) -> PostgresColumn:
    precision, scale = described.precision, described.scale
    if precision is not None and scale is not None and 0 <= scale <= precision <= MAX_DIGITS:
        kind = T.DecimalType(precision, scale)
        return PostgresColumn(described.name, type_text, kind, True, f"{name}::text")
    # 1.10 and 1.1 are one number, also as texts, where no type can hold all their digits.
    plain = f"{name}::text"
    trimmed = f"rtrim(rtrim({plain}, '0'), '.')"
    text = f"CASE WHEN {plain} LIKE '%.%' THEN {trimmed} ELSE {plain} END"
    return PostgresColumn(described.name, type_text, None, False, text, number=True)


def rows_of(texts: DataFrame, columns: Sequence[PostgresColumn], side: str) -> TableRows:
    """The copied texts, with canonical JSON: sorted keys, no blanks, numbers as written.

    One Spark job where there are numbers without precision, to find their type.
    """
    frame = texts.select(
        *(
            F.expr(_canonical(c.name) if c.json else spark_name(c.name)).alias(c.name)
            for c in columns
        )
    )
    numbers = [c.name for c in columns if c.number]
    number_kinds = _number_kinds(texts, numbers) if numbers else {}
    notes = tuple(
        f"{side}: the numbers of column {name} need more digits than a decimal of 38, or are none"
        for name, kind in number_kinds.items()
        if kind is None
    )
    kinds = {c.name: number_kinds.get(c.name, c.kind) for c in columns}
    source_columns = {
        c.name: SourceColumn(
            c.name, c.type_text, kinds[c.name], c.firm, _families(c, kinds[c.name])
        )
        for c in columns
    }
    return TableRows(frame, source_columns, texts=True, notes=notes)


def _families(column: PostgresColumn, kind: T.DataType | None) -> frozenset[ValueKind]:
    if column.number:
        return frozenset({"number"})
    if column.json:
        return frozenset({"nested"})
    return frozenset({"other"}) if kind is None else value_kinds(kind)


def _number_kinds(texts: DataFrame, names: Sequence[str]) -> dict[str, T.DataType | None]:
    aggregates = [F.expr(digits_sql(spark_name(n))).alias(f"n{i}") for i, n in enumerate(names)]
    (row,) = texts.agg(*aggregates).collect()
    digits = {name: value_digits(row[f"n{i}"]) for i, name in enumerate(names)}
    return {name: one.kind() if one else None for name, one in digits.items()}


def _canonical(name: str) -> str:
    column = spark_name(name)
    variant = json_text.parsed_sql(column)
    return f"coalesce({json_text.text_sql(variant)}, {column})"
