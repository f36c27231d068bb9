"""PostgreSQL's types: the SQL for a value's text, and the type in which the text is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.spark import json_text
from cutline.sql.spark import let
from cutline.sql.spark import quoted as spark_name
from cutline.sql.standard import quoted
from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS
from cutline_reconciliation.compare.tables.column_readings import (
    SourceColumn,
    ValueKind,
    json_column,
    typed_column,
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
    """Whether its text is JSON: of arrays, and of documents."""
    document: bool = False
    """Whether it is a `json` or `jsonb`, which holds values of any kind."""


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
        return PostgresColumn(
            described.name, type_text, None, False, f"{name}::text", json=True, document=True
        )
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

    One Spark job where there are numbers without precision or columns of JSON, to find their types
    and the kinds of their values.
    """
    number_types, document_kinds = _of_values(texts, columns)
    source_columns = {c.name: _source_column(c, number_types, document_kinds) for c in columns}
    marks: dict[str, dict[ValueKind, str]] = {
        name: {"text": f"_cutline_text{i}"}
        for i, (name, kinds) in enumerate(document_kinds.items())
        if "text" in kinds and len(kinds) > 1
    }
    frame = texts.select(
        *(
            F.expr(_canonical(c.name) if c.json else spark_name(c.name)).alias(c.name)
            for c in columns
        ),
        *(
            F.expr(f"{_document_kind(name)} <=> 'text'").alias(of_column["text"])
            for name, of_column in marks.items()
        ),
    )
    notes = tuple(
        f"{side}: the numbers of column {name} need more digits than a decimal of 38, or are none"
        for name, kind in number_types.items()
        if kind is None
    )
    return TableRows(frame, source_columns, texts=True, marks=marks, notes=notes)


def _source_column(
    column: PostgresColumn,
    number_types: Mapping[str, T.DataType | None],
    document_kinds: Mapping[str, frozenset[ValueKind]],
) -> SourceColumn:
    name, type_text, kind = column.name, column.type_text, column.kind
    if column.number:
        return SourceColumn(name, type_text, number_types[name], families=frozenset({"number"}))
    if column.document:
        return json_column(name, type_text, document_kinds[name])
    if column.json and kind is None:
        return json_column(name, type_text, frozenset({"nested"}))
    if kind is None:
        return SourceColumn(name, type_text, None, families=frozenset({"other"}))
    return typed_column(name, type_text, kind)


def _of_values(
    texts: DataFrame, columns: Sequence[PostgresColumn]
) -> tuple[dict[str, T.DataType | None], dict[str, frozenset[ValueKind]]]:
    """The type that the values of a `numeric` without precision need, null for none; and the kinds
    of values that columns of JSON have."""
    numbers = [c.name for c in columns if c.number]
    documents = [c.name for c in columns if c.document]
    if not numbers and not documents:
        return {}, {}
    (row,) = texts.agg(
        *(F.expr(digits_sql(spark_name(n))).alias(f"n{i}") for i, n in enumerate(numbers)),
        *(
            F.expr(f"collect_set({_document_kind(n)})").alias(f"d{i}")
            for i, n in enumerate(documents)
        ),
    ).collect()
    digits = {name: value_digits(row[f"n{i}"]) for i, name in enumerate(numbers)}
    return (
        {name: value.kind() if value else None for name, value in digits.items()},
        {name: frozenset(row[f"d{i}"]) for i, name in enumerate(documents)},
    )


def _document_kind(name: str) -> str:
    """SQL for the kind of a JSON value; its null is one of JSON as well, and no text."""
    column = spark_name(name)
    return (
        f"CASE WHEN {column} RLIKE r'^\\s*\"' THEN 'text'"
        f" WHEN {column} RLIKE r'^\\s*[{{\\[n]' THEN 'nested'"
        f" WHEN {column} RLIKE r'^\\s*[tf]' THEN 'boolean'"
        f" WHEN {column} IS NOT NULL THEN 'number' END"
    )


def _canonical(name: str) -> str:
    column = spark_name(name)
    spelt = let("json", json_text.parsed_sql(column), json_text.text_sql("json"))
    return f"coalesce({spelt}, {column})"
