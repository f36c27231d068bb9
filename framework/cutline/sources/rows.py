"""Rows of a snapshot as rows of a changes table, each with its defects."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.identity.columns import json_array
from cutline.sources.defects import null_key, wrong_type
from cutline.sources.exact_cast import cast_value
from cutline.sources.inputs import TableInput
from cutline.sources.lift import lift_defects, with_lifted_values
from cutline.sources.used_tables import UsedTable
from cutline.sql.spark import any_of, literal, quoted
from cutline.tables.change import SNAPSHOT

MALFORMED, NOT_IN_ENCODING, DUPLICATE_KEY = "malformed-line", "not-in-encoding", "duplicate-key"

RESERVED = "_cutline_"
LINE, UNREADABLE, MISENCODED = "_cutline_line", "_cutline_unreadable", "_cutline_bad"
"""Columns beside a row's own: its text, where it was read as a line; the defect that makes the
whole row unreadable, else null; the names of its columns whose bytes are in another encoding.
"""

SHAPE = "_cutline_shape"
"""Column beside the columns of every shape: the number of the row's shape, in a table with older
shapes.
"""

UNKNOWN_SHAPE = "unknown-shape:"
"""The beginning of the defect of a row of no shape; columns that are new (+) and missing (-)
follow.
"""

_KEY, _DOUBLED, _DEFECTS = "_cutline_row_key", "_cutline_doubled", "_cutline_defects"
"""Columns beside a row's own: its key, the defect of a repeated one, and all its defects."""

BLOB_MARK = "X'FF'"
"""What readers put before the hexadecimal text of bytes that are no text. No UTF-8 begins so."""

NO_DEFECTS = "CAST(array() AS array<string>)"


@dataclass(frozen=True)
class TableChunk:
    """A part of a table that was read by itself: its condition, its number of rows, and what was
    visible when it was read, as the database writes it.
    """

    condition: str
    rows: int
    visible: str


@dataclass(frozen=True)
class RawRows:
    """The rows of one table and slice as the source holds them.

    `frame` has the contract's columns, as text or with the source's types, and may have LINE,
    UNREADABLE and MISENCODED; of a table with older shapes, the columns of every shape, and SHAPE.
    `count` gives the number of rows that the source handed over, once they were written. `key_rows`
    is the frame without the observation that counts it, for finding repeated keys; null where the
    source keeps keys unique. `inputs` are the counts that the rows must agree with. `chunks` are
    the parts in which the table was read, in order.
    """

    frame: DataFrame
    count: Callable[[], int]
    key_rows: DataFrame | None
    inputs: tuple[TableInput, ...] = ()
    chunks: tuple[TableChunk, ...] = ()


def repeated_keys(frame: DataFrame, table: UsedTable) -> DataFrame:
    """One row per key that several rows of a snapshot have: _KEY, and the defect _DOUBLED."""
    return (
        _with_typed_values(frame, table)
        .where(f"{_KEY} IS NOT NULL")
        .groupBy(_KEY)
        .agg(F.count(F.lit(1)).alias("times"))
        .where("times > 1")
        .selectExpr(_KEY, f"'{DUPLICATE_KEY}' AS {_DOUBLED}")
    )


def snapshot_changes(
    frame: DataFrame,
    table: UsedTable,
    repeated: DataFrame | None,
    *,
    position: str,
    extract_time: dt.datetime,
    generation: int = 0,
) -> DataFrame:
    """The changes of a snapshot, one per row of `frame`: op `r`, and no before.

    `repeated` are the `repeated_keys`; null if there are none. Each row with such a key has the
    defect.
    """
    keyed = _with_typed_values(frame, table)
    marked = (
        keyed.selectExpr("*", f"CAST(NULL AS string) AS {_DOUBLED}")
        if repeated is None
        else keyed.join(repeated, _KEY, "left")
    )
    defects = f"array_compact(array({', '.join([*_row_defects(keyed, table), _DOUBLED])}))"
    suspect = f"{_may_have_defect(keyed, table)} OR {_DOUBLED} IS NOT NULL"
    values = ", ".join(f"{quoted(_value_column(n))} AS {quoted(n)}" for n in table.columns)
    return marked.selectExpr(
        "*", f"CASE WHEN {suspect} THEN {defects} ELSE {NO_DEFECTS} END AS {_DEFECTS}"
    ).selectExpr(
        f"{literal(table.source)} AS source",
        f"{literal(table.name)} AS `table`",
        f"{_KEY} AS key",
        "CAST(NULL AS string) AS old_key",
        f"'{SNAPSHOT}' AS op",
        f"CAST(NULL AS {table.contract.ddl()}) AS before",
        f"CASE WHEN {_unreadable_sql(keyed)} IS NULL THEN struct({values}) END AS after",
        "CAST(NULL AS array<string>) AS unknown",
        f"'{position}' AS position",
        "CAST(NULL AS string) AS commit",
        "CAST(NULL AS string) AS transaction",
        "CAST(NULL AS int) AS partition",
        "CAST(NULL AS bigint) AS offset",
        f"{generation} AS generation",
        "CAST(NULL AS timestamp) AS source_time",
        f"{timestamp_sql(extract_time)} AS extract_time",
        f"{_DEFECTS} AS defects",
        f"CASE WHEN size({_DEFECTS}) > 0 THEN {_payload(frame, table)} END AS payload",
    )


def timestamp_sql(at: dt.datetime) -> str:
    """SQL for a moment as a timestamp."""
    return f"timestamp_micros({(at - _EPOCH) // dt.timedelta(microseconds=1)})"


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def with_key(frame: DataFrame, name: str, values: dict[str, str], table: UsedTable) -> DataFrame:
    """The frame with the canonical JSON array of the key columns; null where one of them is null.

    `values` gives the frame's column for each column of the contract.
    """
    columns = [values[n] for n in table.contract.key()]
    array = json_array(
        [F.col(quoted(c)) for c in columns], [table.columns[n] for n in table.contract.key()]
    )
    every = " AND ".join(f"{quoted(c)} IS NOT NULL" for c in columns)
    return frame.withColumn(name, F.when(F.expr(every), array))


def _with_typed_values(frame: DataFrame, table: UsedTable) -> DataFrame:
    """The frame with each typed value, and _KEY; null for values of an unreadable row."""
    schema = {f.name: f.dataType for f in frame.schema.fields}
    casts = []
    for k, columns in enumerate(table.shapes):
        for name, ddl in columns.items():
            cast = cast_value(quoted(name), schema[name], ddl)
            if isinstance(schema[name], T.StringType) and MISENCODED not in schema:
                cast = f"CASE WHEN NOT {_not_utf8(name)} THEN {cast} END"
            if UNREADABLE in schema:
                cast = f"CASE WHEN {UNREADABLE} IS NULL THEN {cast} END"
            casts.append(f"{_if_shape(table, k, cast)} AS {quoted(_shape_value_column(k, name))}")
    typed = frame.selectExpr("*", *casts)
    if table.has_older:
        typed = with_lifted_values(typed, table, SHAPE, _shape_value_column)
    return with_key(typed, _KEY, {n: _value_column(n) for n in table.columns}, table)


def _may_have_defect(keyed: DataFrame, table: UsedTable) -> str:
    """SQL for a cheap test of whether a row may have a defect: most rows have none."""
    conditions = [f"{_KEY} IS NULL"]
    if MISENCODED in keyed.columns:
        conditions.append(f"size({MISENCODED}) > 0")
    if table.has_older:
        conditions.append(f"{SHAPE} > 0")
    for name in table.columns:
        conditions.append(f"{quoted(name)} IS NOT NULL AND {quoted(_value_column(name))} IS NULL")
    return any_of(conditions)


def _row_defects(keyed: DataFrame, table: UsedTable) -> list[str]:
    defects: list[str] = []
    for k, columns in enumerate(table.shapes):
        of_shape = _column_defects(keyed, columns, k)
        defects += [_if_shape(table, k, one) for one in of_shape]
    defects += [_if_shape(table, 0, null_key(name, quoted(name))) for name in table.contract.key()]
    if table.has_older:
        defects += lift_defects(table, SHAPE, _shape_value_column)
    unreadable = _unreadable_sql(keyed)
    return [unreadable, *(f"CASE WHEN {unreadable} IS NULL THEN {one} END" for one in defects)]


def _column_defects(keyed: DataFrame, columns: Collection[str], k: int) -> list[str]:
    schema = {f.name: f.dataType for f in keyed.schema.fields}
    checked = MISENCODED in schema
    texts = [n for n in columns if isinstance(schema[n], T.StringType) and not checked]
    if checked:
        misencoded = f"arrays_overlap({MISENCODED}, array({', '.join(map(literal, columns))}))"
    else:
        misencoded = any_of([f"({_not_utf8(n)} AND NOT {_is_blob(n)})" for n in texts])
    defects = [f"CASE WHEN {misencoded} THEN '{NOT_IN_ENCODING}' END"]
    for name in columns:
        wrong = wrong_type(name, quoted(name), quoted(_shape_value_column(k, name)))
        if name in texts:
            wrong = f"CASE WHEN NOT {_not_utf8(name)} OR {_is_blob(name)} THEN {wrong} END"
        defects.append(wrong)
    return defects


def _payload(frame: DataFrame, table: UsedTable) -> str:
    """SQL for a JSON object of the columns of the row's shape as they were read; of an unreadable
    line, the line.

    A row of no shape is shown with every column of the source.
    """
    schema = {f.name: f.dataType for f in frame.schema.fields}
    row = _json_object(table.columns, schema)
    if table.has_older:
        rows = (_json_object(columns, schema) for columns in table.shapes)
        cases = " ".join(f"WHEN {SHAPE} = {k} THEN {one}" for k, one in enumerate(rows))
        whole = [n for n in frame.columns if n not in (LINE, UNREADABLE, MISENCODED, SHAPE)]
        row = f"CASE {cases} ELSE {_json_object(whole, schema)} END"
    if LINE not in schema:
        return row
    line = f"make_valid_utf8({LINE})"
    return f"CASE WHEN {_unreadable_sql(frame)} IS NOT NULL THEN {line} ELSE {row} END"


def _json_object(columns: Iterable[str], schema: Mapping[str, T.DataType]) -> str:
    shown = ", ".join(f"{_printable(n, schema[n])} AS {quoted(n)}" for n in columns)
    return f"to_json(struct({shown}), map('ignoreNullFields', 'false'))"


def _if_shape(table: UsedTable, k: int, sql: str) -> str:
    """SQL that is null for rows of other shapes."""
    return f"CASE WHEN {SHAPE} = {k} THEN {sql} END" if table.has_older else sql


def _printable(name: str, kind: T.DataType) -> str:
    value = quoted(name)
    if not isinstance(kind, T.StringType):
        return value
    blob = rf"concat('x\'', substr({value}, 2), '\'')"
    return f"CASE WHEN {_is_blob(name)} THEN {blob} ELSE make_valid_utf8({value}) END"


def _value_column(name: str) -> str:
    """The name of the column with the typed value of the newest shape."""
    return _shape_value_column(0, name)


def _shape_value_column(k: int, name: str) -> str:
    """The name of the column with the typed value of shape `k`."""
    return f"{RESERVED}value{k or ''}_{name}"


def _unreadable_sql(frame: DataFrame) -> str:
    return UNREADABLE if UNREADABLE in frame.columns else "CAST(NULL AS string)"


def _not_utf8(name: str) -> str:
    """SQL for whether the bytes of a text are not UTF-8; false for null."""
    return f"coalesce(NOT is_valid_utf8({quoted(name)}), false)"


def _is_blob(name: str) -> str:
    return f"coalesce(startswith(CAST({quoted(name)} AS binary), {BLOB_MARK}), false)"
