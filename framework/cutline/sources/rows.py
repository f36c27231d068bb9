"""From rows as they were read to rows of a changes table, each with its defects."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.identity.columns import json_array
from cutline.sources.typed import from_value, quoted
from cutline.sources.used import UsedTable
from cutline.tables.change import SNAPSHOT

MALFORMED, NOT_IN_ENCODING, DUPLICATE_KEY = "malformed-line", "not-in-encoding", "duplicate-key"

LINE, UNREADABLE, BAD = "_cutline_line", "_cutline_unreadable", "_cutline_bad"
"""Beside a row's own columns: its text where it came as one; the defect that leaves nothing of it
readable, else null; the columns that held bytes of another encoding."""

BLOB = b"\xff"
"""What a reader puts before the hexadecimal text of bytes that are no text. No UTF-8 begins so."""


@dataclass(frozen=True)
class Raw:
    """The rows of one table and slice as a source holds them.

    `frame` has the contract's columns, as text or as the source types them, and may have LINE,
    UNREADABLE and BAD. `count` gives the rows that the source handed over, once they were written.
    `again` is the frame without what counts it, where keys must be compared; null where the source
    itself keeps the key unique.
    """

    frame: DataFrame
    count: Callable[[], int]
    again: DataFrame | None


def empty_defects() -> Column:
    """No defects."""
    return F.array().cast("array<string>")


def of_which(*defects: Column) -> Column:
    """The defects that are not null, in this order; the array is only built where there is one."""
    return F.when(F.coalesce(*defects).isNotNull(), F.array_compact(F.array(*defects))).otherwise(
        empty_defects()
    )


def repeated_keys(frame: DataFrame, table: UsedTable) -> DataFrame:
    """One row per key that more than one row of a snapshot has: `_key`, and the defect."""
    return (
        _keyed(frame, table)
        .where(F.col("_key").isNotNull())
        .groupBy("_key")
        .agg(F.count(F.lit(1)).alias("_times"))
        .where(F.col("_times") > 1)
        .select("_key", F.lit(DUPLICATE_KEY).alias("_doubled"))
    )


def snapshot_changes(
    frame: DataFrame,
    table: UsedTable,
    repeated: DataFrame | None,
    *,
    position: str,
    extract_time: dt.datetime,
) -> DataFrame:
    """The changes of a snapshot: op `r`, no before, one row per row of `frame`.

    `repeated` are the `repeated_keys`, if there are any; each row of such a key has the defect.
    """
    keyed = _keyed(frame, table)
    if repeated is None:
        doubled = keyed.withColumn("_doubled", F.lit(None).cast("string"))
    else:
        doubled = keyed.join(repeated, "_key", "left")
    found = F.array_compact(F.array(*_defects(keyed, table), F.col("_doubled")))
    suspect = _suspect(keyed, table) | F.col("_doubled").isNotNull()
    defects = F.when(suspect, found).otherwise(empty_defects())
    unreadable = _unreadable(keyed)
    return doubled.withColumn("defects", defects).select(
        F.lit(table.source).alias("source"),
        F.lit(table.name).alias("table"),
        F.col("_key").alias("key"),
        F.lit(SNAPSHOT).alias("op"),
        F.lit(None).cast(table.contract.ddl()).alias("before"),
        F.when(unreadable.isNull(), _typed_row(table)).alias("after"),
        F.lit(position).alias("position"),
        F.lit(None).cast("string").alias("transaction"),
        F.lit(None).cast("timestamp").alias("source_time"),
        F.lit(extract_time).cast("timestamp").alias("extract_time"),
        F.col("defects"),
        F.when(F.size("defects") > 0, _payload(keyed, table)).alias("payload"),
    )


def typed(value: Column, source: T.DataType, ddl: str, *, valid: bool) -> Column:
    """A value by the contract's type; null where there is none or it does not fit exactly.

    `valid` says that texts are known to be UTF-8.
    """
    cast = from_value(value, source, ddl)
    if isinstance(source, T.StringType) and not valid:
        return F.when(~_no_text(value), cast)
    return cast


def wrong_type(name: str, value: Column, cast: Column) -> Column:
    """The defect of a value that is there and does not fit, else null."""
    return F.when(value.isNotNull() & cast.isNull(), F.lit(f"wrong-type:{name}"))


def null_key(name: str, value: Column) -> Column:
    """The defect of a key column that holds nothing, else null."""
    return F.when(value.isNull(), F.lit(f"null-key:{name}"))


def key_of(values: Mapping[str, Column], table: UsedTable) -> Column:
    """The canonical JSON array of the key columns; null where one of them is null."""
    names = table.contract.key()
    present = [values[n].isNotNull() for n in names]
    every = present[0]
    for one in present[1:]:
        every = every & one
    return F.when(every, json_array([values[n] for n in names], [table.columns[n] for n in names]))


def _keyed(frame: DataFrame, table: UsedTable) -> DataFrame:
    """The frame with `_t_<column>` for each typed value, and `_key`."""
    schema = {f.name: f.dataType for f in frame.schema.fields}
    cast = frame.withColumns(
        {
            f"_t_{name}": typed(F.col(quoted(name)), schema[name], ddl, valid=BAD in frame.columns)
            for name, ddl in table.columns.items()
        }
    )
    values = {n: F.col(quoted(f"_t_{n}")) for n in table.columns}
    key = F.when(_unreadable(frame).isNull(), key_of(values, table))
    return cast.withColumn("_key", key)


def _suspect(keyed: DataFrame, table: UsedTable) -> Column:
    """Whether a row may have a defect, found out cheaply: most rows have none."""
    suspect = F.col("_key").isNull() | _unreadable(keyed).isNotNull()
    if BAD in keyed.columns:
        suspect = suspect | (F.size(BAD) > 0)
    for name in table.columns:
        lost = F.col(quoted(name)).isNotNull() & F.col(quoted(f"_t_{name}")).isNull()
        suspect = suspect | lost
    return suspect


def _defects(keyed: DataFrame, table: UsedTable) -> list[Column]:
    unreadable = _unreadable(keyed)
    schema = {f.name: f.dataType for f in keyed.schema.fields}
    found = [unreadable]
    texts = [n for n in table.columns if isinstance(schema[n], T.StringType)]
    if BAD in keyed.columns:
        named = F.array(*map(F.lit, table.columns))
        spoilt = unreadable.isNull() & F.arrays_overlap(BAD, named)
        found.append(F.when(spoilt, F.lit(NOT_IN_ENCODING)))
    elif texts:
        broken = F.lit(False)
        for name in texts:
            value = F.col(quoted(name))
            broken = broken | (_no_text(value) & ~_blob(value))
        found.append(F.when(broken, F.lit(NOT_IN_ENCODING)))
    for name in table.columns:
        raw, cast = F.col(quoted(name)), F.col(quoted(f"_t_{name}"))
        wrong = wrong_type(name, raw, cast)
        if name in texts and BAD not in keyed.columns:
            wrong = F.when(~_no_text(raw) | _blob(raw), wrong)
        found.append(F.when(unreadable.isNull(), wrong))
    for name in table.contract.key():
        found.append(F.when(unreadable.isNull(), null_key(name, F.col(quoted(name)))))
    return found


def _typed_row(table: UsedTable) -> Column:
    return F.struct(*(F.col(quoted(f"_t_{n}")).alias(n) for n in table.columns))


def _payload(keyed: DataFrame, table: UsedTable) -> Column:
    """A JSON object of the contract's columns as they were read; a line that is none, as it is."""
    schema = {f.name: f.dataType for f in keyed.schema.fields}
    shown = [_shown(F.col(quoted(name)), schema[name]).alias(name) for name in table.columns]
    row = F.to_json(F.struct(*shown), {"ignoreNullFields": "false"})
    if LINE not in keyed.columns:
        return row
    line = F.make_valid_utf8(F.col(LINE))
    return F.when(_unreadable(keyed).isNotNull(), line).otherwise(row)


def _shown(value: Column, kind: T.DataType) -> Column:
    if not isinstance(kind, T.StringType):
        return value
    blob = F.concat(F.lit("x'"), F.substr(value, F.lit(2)), F.lit("'"))
    return F.when(_blob(value), blob).otherwise(F.make_valid_utf8(value))


def _unreadable(frame: DataFrame) -> Column:
    return F.col(UNREADABLE) if UNREADABLE in frame.columns else F.lit(None).cast("string")


def _no_text(value: Column) -> Column:
    """Whether the bytes of a text are not UTF-8; false for null."""
    return F.coalesce(~F.is_valid_utf8(value), F.lit(False))


def _blob(value: Column) -> Column:
    return F.startswith(value.cast("binary"), F.lit(BLOB))
