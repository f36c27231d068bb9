"""JSON lines: a column per key, of the kind of its values, with numbers as written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources import LINE, TextFormat, first_record, split_records
from cutline.spark import json_text
from cutline_reconciliation.compare.tables.column_readings import (
    SourceColumn,
    ValueKind,
    json_column,
)
from cutline_reconciliation.compare.tables.fetched_table import (
    BROKEN,
    FetchedTable,
    TableRows,
    check_names,
)
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.records import (
    AT,
    broken_record,
    broken_records_error,
    read_records,
)
from cutline_reconciliation.compare.tables.value_digits import digits_sql, value_digits

_MOST = 2_000
"""The most columns; more keys are data."""
_NULL, _NUMBER, _BOOLEAN, _TEXT = "null", "number", "boolean", "text"
_FAMILIES: dict[str, ValueKind] = {_NUMBER: "number", _BOOLEAN: "boolean", _TEXT: "text"}


def fetch(place: TablePlace, scratch: str) -> FetchedTable:
    """The lines of the files, split into `scratch`. ConfigurationError if there is none."""
    first = [first_record(file, place.side, TextFormat()) for file in place.files]
    if not any(first):
        raise ConfigurationError(
            f"{place.side}: {place.shown} is empty: no object tells what its columns are",
            next_step="Export it as CSV, which has a header, or as Parquet.",
        )
    split_records(place.files, scratch, place.side, TextFormat())
    order = list(dict.fromkeys(name for line in first if line for name in _keys(line)))
    size = sum(file.stat().st_size for file in place.files)
    return FetchedTable(place, size, lambda spark: _rows(spark, place, order, scratch))


def _rows(spark: SparkSession, place: TablePlace, order: list[str], scratch: str) -> TableRows:
    lines = read_records(spark, scratch)
    line = F.when(F.is_valid_utf8(LINE), F.col(LINE))
    parsed = json_text.with_object(lines, line, "_json")
    kinds = _kinds(parsed, place)
    reason = (
        F.when(line.isNull(), F.lit("is not UTF-8"))
        .when(
            json_text.has_lone_surrogate(F.col(LINE)),
            F.lit("holds half of a surrogate pair, which is no character"),
        )
        .when(F.col("_json").isNull(), F.lit("is no JSON object, or names a key twice"))
    )
    if not kinds:
        _refuse_broken(parsed.select(broken_record(reason)), place)
    names = [*(n for n in order if n in kinds), *sorted(n for n in kinds if n not in order)]
    check_names(place, names)
    columns = {name: _column(name, kinds[name]) for name in names}
    mixed = [n for n, c in columns.items() if "text" in c.families and len(c.families) > 1]
    textual = {name: f"_cutline_text{i}" for i, name in enumerate(mixed)}
    marks: dict[str, dict[ValueKind, str]] = {n: {"text": mark} for n, mark in textual.items()}
    frame = parsed.select(
        *(_text(place, name) for name in names),
        *(F.expr(_is_text(name)).alias(flag) for name, flag in textual.items()),
        broken_record(reason),
    )
    notes = tuple(
        f"{place.side}: column {c.name} holds values of several kinds: {c.type_text}"
        for c in columns.values()
        if " and " in c.type_text
    )
    return TableRows(frame, columns, texts=True, marks=marks, notes=notes)


def _refuse_broken(records: DataFrame, place: TablePlace) -> None:
    """ConfigurationError if a record cannot be read."""
    (counts,) = records.agg(F.count(BROKEN).alias("n"), F.min(BROKEN).alias("first")).collect()
    if counts["n"]:
        raise broken_records_error(place, counts["n"], counts["first"])


def _text(place: TablePlace, name: str) -> Any:
    try:
        return F.expr(json_text.text_sql("_json", name)).alias(name)
    except ValueError as error:
        raise ConfigurationError(
            f"{place.side}: {place.shown} has a key that holds a quote: {name}",
            next_step="Rename the key where the file is made.",
        ) from error


def _is_text(name: str) -> str:
    kind = f"schema_of_variant({json_text.node_sql('_json', name)})"
    return f"coalesce({kind} = 'STRING' AND NOT {json_text.is_number_sql('_json', name)}, false)"


def _kinds(parsed: DataFrame, place: TablePlace) -> Mapping[str, Mapping[str, Any]]:
    """By key, the kinds of its values, and the digits of its numbers."""
    entries = parsed.select(AT, "_json").selectExpr(
        "explode(try_variant_get(_json, '$', 'map<string,variant>')) AS (name, value)"
    )
    schema = "schema_of_variant(value)"
    values = entries.selectExpr(
        "name",
        f"{json_text.text_sql('value')} AS text",
        f"CASE WHEN {schema} = 'VOID' THEN '{_NULL}'"
        f" WHEN {json_text.is_number_sql('value')} THEN '{_NUMBER}'"
        f" WHEN {schema} = 'BOOLEAN' THEN '{_BOOLEAN}'"
        f" WHEN {schema} LIKE 'OBJECT%' THEN 'object'"
        f" WHEN {schema} LIKE 'ARRAY%' THEN 'array' ELSE '{_TEXT}' END AS kind",
    )
    counted = (
        values.groupBy("name", "kind").agg(F.expr(digits_sql("text")).alias("digits")).limit(_MOST)
    ).collect()
    if len(counted) == _MOST:
        raise ConfigurationError(
            f"{place.side}: {place.shown} has some {_MOST:,} different keys, too many for columns",
            next_step="Export the keys that vary as values.",
        )
    kinds: dict[str, dict[str, Any]] = {}
    for row in counted:
        kinds.setdefault(row["name"], {})[row["kind"]] = row["digits"]
    return kinds


def _column(name: str, kinds: Mapping[str, Any]) -> SourceColumn:
    not_null = sorted(kind for kind in kinds if kind != _NULL)
    type_text = " and ".join(not_null) or _NULL
    families = frozenset(_FAMILIES.get(kind, "nested") for kind in not_null)
    kind: T.DataType | None = T.BooleanType() if not_null == [_BOOLEAN] else None
    if not_null == [_NUMBER]:
        digits = value_digits(kinds[_NUMBER])
        kind = digits.kind() if digits else None
    return json_column(name, type_text, families, kind)


def _keys(line: bytes) -> Iterable[str]:
    """The keys of the first line in their order; empty where it cannot be read."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return document if isinstance(document, dict) else ()
