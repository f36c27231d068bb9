"""From rows as they were read to rows of a changes table, each with its defects."""

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
from cutline.sources.lift import lift_defects, lifted
from cutline.sources.sql_text import any_of, literal, quoted
from cutline.sources.used_tables import UsedTable
from cutline.tables.change import SNAPSHOT

MALFORMED, NOT_IN_ENCODING, DUPLICATE_KEY = "malformed-line", "not-in-encoding", "duplicate-key"

LINE, UNREADABLE, BAD = "_cutline_line", "_cutline_unreadable", "_cutline_bad"
"""Beside a row's own columns: its text where it came as one; the defect that leaves nothing of it
readable, else null; the columns that held bytes of another encoding."""

SHAPE = "_cutline_shape"
"""Beside the columns of every shape: the number of the row's, for a table with older shapes."""

UNKNOWN = "unknown-shape:"
"""What the defect of a row of no shape begins with; what is new (+) and missing (-) follows."""

BLOB = "X'FF'"
"""What a reader puts before the hexadecimal text of bytes that are no text. No UTF-8 begins so."""

NO_DEFECTS = "CAST(array() AS array<string>)"


@dataclass(frozen=True)
class Raw:
    """The rows of one table and slice as a source holds them.

    `frame` has the contract's columns, as text or as the source types them, and may have LINE,
    UNREADABLE and BAD; where the table has older shapes, it has their columns too, and SHAPE.
    `count` gives the rows that the source handed over, once they were written. `again` is the frame
    without what counts it, where keys must be compared; null where the source itself keeps the key
    unique. `inputs` are the counts that the rows must agree with.
    """

    frame: DataFrame
    count: Callable[[], int]
    again: DataFrame | None
    inputs: tuple[TableInput, ...] = ()


def repeated_keys(frame: DataFrame, table: UsedTable) -> DataFrame:
    """One row per key that more than one row of a snapshot has: `_key`, and the defect."""
    return (
        _keyed(frame, table)
        .where("_key IS NOT NULL")
        .groupBy("_key")
        .agg(F.count(F.lit(1)).alias("_times"))
        .where("_times > 1")
        .selectExpr("_key", f"'{DUPLICATE_KEY}' AS _doubled")
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
    """The changes of a snapshot: op `r`, no before, one row per row of `frame`.

    `repeated` are the `repeated_keys`, if there are any; each row of such a key has the defect.
    """
    keyed = _keyed(frame, table)
    doubled = (
        keyed.selectExpr("*", "CAST(NULL AS string) AS _doubled")
        if repeated is None
        else keyed.join(repeated, "_key", "left")
    )
    found = f"array_compact(array({', '.join([*_defects(keyed, table), '_doubled'])}))"
    suspect = f"{_suspect(keyed, table)} OR _doubled IS NOT NULL"
    values = ", ".join(f"{quoted(_value(n))} AS {quoted(n)}" for n in table.columns)
    return doubled.selectExpr(
        "*", f"CASE WHEN {suspect} THEN {found} ELSE {NO_DEFECTS} END AS defects"
    ).selectExpr(
        f"{literal(table.source)} AS source",
        f"{literal(table.name)} AS `table`",
        "_key AS key",
        "CAST(NULL AS string) AS old_key",
        f"'{SNAPSHOT}' AS op",
        f"CAST(NULL AS {table.contract.ddl()}) AS before",
        f"CASE WHEN {_unreadable(keyed)} IS NULL THEN struct({values}) END AS after",
        "CAST(NULL AS array<string>) AS unknown",
        f"'{position}' AS position",
        "CAST(NULL AS string) AS commit",
        "CAST(NULL AS string) AS transaction",
        "CAST(NULL AS int) AS partition",
        "CAST(NULL AS bigint) AS offset",
        f"{generation} AS generation",
        "CAST(NULL AS timestamp) AS source_time",
        f"{moment(extract_time)} AS extract_time",
        "defects",
        f"CASE WHEN size(defects) > 0 THEN {_payload(frame, table)} END AS payload",
    )


def moment(at: dt.datetime) -> str:
    """SQL for a moment."""
    return f"timestamp_micros({(at - _EPOCH) // dt.timedelta(microseconds=1)})"


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def with_key(frame: DataFrame, name: str, values: dict[str, str], table: UsedTable) -> DataFrame:
    """The frame with the canonical JSON array of the key columns; null where one of them is null.

    `values` names the frame's column for each of the contract's.
    """
    columns = [values[n] for n in table.contract.key()]
    array = json_array(
        [F.col(quoted(c)) for c in columns], [table.columns[n] for n in table.contract.key()]
    )
    every = " AND ".join(f"{quoted(c)} IS NOT NULL" for c in columns)
    return frame.withColumn(name, F.when(F.expr(every), array))


def _keyed(frame: DataFrame, table: UsedTable) -> DataFrame:
    """The frame with each typed value, and `_key`; null where nothing of the row is readable."""
    schema = {f.name: f.dataType for f in frame.schema.fields}
    casts = []
    for k, columns in enumerate(table.shapes):
        for name, ddl in columns.items():
            cast = cast_value(quoted(name), schema[name], ddl)
            if isinstance(schema[name], T.StringType) and BAD not in schema:
                cast = f"CASE WHEN NOT {_no_text(name)} THEN {cast} END"
            if UNREADABLE in schema:
                cast = f"CASE WHEN {UNREADABLE} IS NULL THEN {cast} END"
            casts.append(f"{_of_shape(table, k, cast)} AS {quoted(_shape_value(k, name))}")
    typed = frame.selectExpr("*", *casts)
    if table.has_older:
        typed = lifted(typed, table, SHAPE, _shape_value)
    return with_key(typed, "_key", {n: _value(n) for n in table.columns}, table)


def _suspect(keyed: DataFrame, table: UsedTable) -> str:
    """Whether a row may have a defect, found out cheaply: most rows have none."""
    suspect = ["_key IS NULL"]
    if BAD in keyed.columns:
        suspect.append(f"size({BAD}) > 0")
    if table.has_older:
        suspect.append(f"{SHAPE} > 0")
    for name in table.columns:
        suspect.append(f"{quoted(name)} IS NOT NULL AND {quoted(_value(name))} IS NULL")
    return any_of(suspect)


def _defects(keyed: DataFrame, table: UsedTable) -> list[str]:
    found: list[str] = []
    for k, columns in enumerate(table.shapes):
        own = _column_defects(keyed, columns, k)
        found += [_of_shape(table, k, one) for one in own]
    found += [_of_shape(table, 0, null_key(name, quoted(name))) for name in table.contract.key()]
    if table.has_older:
        found += lift_defects(table, SHAPE, _shape_value)
    unreadable = _unreadable(keyed)
    return [unreadable, *(f"CASE WHEN {unreadable} IS NULL THEN {one} END" for one in found)]


def _column_defects(keyed: DataFrame, columns: Collection[str], k: int) -> list[str]:
    schema = {f.name: f.dataType for f in keyed.schema.fields}
    checked = BAD in schema
    texts = [n for n in columns if isinstance(schema[n], T.StringType) and not checked]
    if checked:
        spoilt = f"arrays_overlap({BAD}, array({', '.join(map(literal, columns))}))"
    else:
        spoilt = any_of([f"({_no_text(n)} AND NOT {_blob(n)})" for n in texts])
    found = [f"CASE WHEN {spoilt} THEN '{NOT_IN_ENCODING}' END"]
    for name in columns:
        wrong = wrong_type(name, quoted(name), quoted(_shape_value(k, name)))
        if name in texts:
            wrong = f"CASE WHEN NOT {_no_text(name)} OR {_blob(name)} THEN {wrong} END"
        found.append(wrong)
    return found


def _payload(frame: DataFrame, table: UsedTable) -> str:
    """A JSON object of the shape's columns as they were read; a line that is none, as it is.

    A row of no shape is shown with every column that the source has.
    """
    schema = {f.name: f.dataType for f in frame.schema.fields}
    row = _object(table.columns, schema)
    if table.has_older:
        rows = (_object(columns, schema) for columns in table.shapes)
        cases = " ".join(f"WHEN {SHAPE} = {k} THEN {one}" for k, one in enumerate(rows))
        whole = [n for n in frame.columns if n not in (LINE, UNREADABLE, BAD, SHAPE)]
        row = f"CASE {cases} ELSE {_object(whole, schema)} END"
    if LINE not in schema:
        return row
    line = f"make_valid_utf8({LINE})"
    return f"CASE WHEN {_unreadable(frame)} IS NOT NULL THEN {line} ELSE {row} END"


def _object(columns: Iterable[str], schema: Mapping[str, T.DataType]) -> str:
    shown = ", ".join(f"{_shown(n, schema[n])} AS {quoted(n)}" for n in columns)
    return f"to_json(struct({shown}), map('ignoreNullFields', 'false'))"


def _of_shape(table: UsedTable, k: int, sql: str) -> str:
    """SQL that is null for the rows of other shapes."""
    return f"CASE WHEN {SHAPE} = {k} THEN {sql} END" if table.has_older else sql


def _shown(name: str, kind: T.DataType) -> str:
    value = quoted(name)
    if not isinstance(kind, T.StringType):
        return value
    blob = rf"concat('x\'', substr({value}, 2), '\'')"
    return f"CASE WHEN {_blob(name)} THEN {blob} ELSE make_valid_utf8({value}) END"


def _value(name: str) -> str:
    """The name of the column with the typed value."""
    return _shape_value(0, name)


def _shape_value(k: int, name: str) -> str:
    """The name of the column with the typed value that a row of shape `k` has for its column."""
    return f"_t{k or ''}_{name}"


def _unreadable(frame: DataFrame) -> str:
    return UNREADABLE if UNREADABLE in frame.columns else "CAST(NULL AS string)"


def _no_text(name: str) -> str:
    """Whether the bytes of a text are not UTF-8; false for null."""
    return f"coalesce(NOT is_valid_utf8({quoted(name)}), false)"


def _blob(name: str) -> str:
    return f"coalesce(startswith(CAST({quoted(name)} AS binary), {BLOB}), false)"
