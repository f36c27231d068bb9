"""A source's tables as rows of their changes: the snapshot, and the changes after it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.positions import NOWHERE, consistent_point
from cutline.project.source import CsvSource, JsonLinesSource, ParquetSource, SqliteSource
from cutline.sources import csv_files, debezium, json_lines, parquet_files, sqlite
from cutline.sources.change_file import opened_changes
from cutline.sources.counted import counted
from cutline.sources.inspect import SeenSource
from cutline.sources.layouts import Layout, united
from cutline.sources.predicate import sliced
from cutline.sources.rows import Raw, repeated_keys, snapshot_changes
from cutline.sources.shapes import KEYS, names_of, with_shape
from cutline.sources.used import UsedTable
from cutline.spark import json_text

_FEW = 100_000


@dataclass(frozen=True)
class Reading:
    """One table, ready to be written: its changes, and how many rows its source handed over.

    `rows` may be asked once the changes were written.
    """

    table: UsedTable
    changes: DataFrame
    rows: Callable[[], int]


@dataclass(frozen=True)
class SourceReading:
    """One source, ready to be written. `position` is that of its snapshot rows."""

    name: str
    position: str
    tables: tuple[Reading, ...]
    tombstones: int = 0
    ignored: int = 0


def read_source(
    spark: SparkSession,
    seen: SeenSource,
    *,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
) -> SourceReading:
    """Everything that the source holds for the slice, readable or not; nothing is written yet.

    `scratch` is a folder for files that must live until the changes were written.
    """
    section = seen.used.section
    position = consistent_point(section.changes) or NOWHERE
    snapshots = snapshot_rows(spark, seen, region, position, scratch)
    readings: dict[str, Reading] = {}
    for table in seen.used.tables:
        raw = snapshots[table.name]
        changes = snapshot_changes(
            raw.frame,
            table,
            _repeated(raw, table),
            position=position,
            extract_time=extract_time,
        )
        readings[table.name] = Reading(table, changes, raw.count)
    if section.changes is None:
        return SourceReading(seen.used.name, position, tuple(readings.values()))
    names = {t.name: t.database_name for t in seen.used.tables}
    key = f"sources.{seen.used.name}.changes.path"
    file = opened_changes(spark, seen.changes, key, names, f"{scratch}/changes")
    for name, reading in readings.items():
        columns = seen.tables[name].columns
        point = section.changes.consistent_point
        mine = debezium.changes_of(file, reading.table, columns, point, region)
        rows, count = counted(mine)
        later = debezium.changed_rows(rows, reading.table, extract_time)
        both = reading.changes.unionByName(later)
        readings[name] = Reading(reading.table, both, _sum(reading.rows, count))
    return SourceReading(
        seen.used.name, position, tuple(readings.values()), file.tombstones, file.ignored
    )


def _repeated(raw: Raw, table: UsedTable) -> DataFrame | None:
    """The keys that come more than once; null where none does, as is usual.

    A pass over the keys alone spares all rows an exchange.
    """
    if raw.again is None:
        return None
    repeated = repeated_keys(raw.again, table)
    few = repeated.limit(_FEW + 1).count()
    if not few:
        return None
    return F.broadcast(repeated) if few <= _FEW else repeated


def snapshot_rows(
    spark: SparkSession, seen: SeenSource, region: str, position: str, scratch: str
) -> dict[str, Raw]:
    """The slice's rows of each used table, as they stand in the source."""
    section = seen.used.section
    if isinstance(section, SqliteSource):
        path = seen.tables[seen.used.tables[0].name].files[0]
        present = {name: table.columns for name, table in seen.tables.items()}
        read = sqlite.read(spark, path, seen.used, present, region, scratch)
        return {t.name: _told(read[t.name], t, position) for t in seen.used.tables}
    views = {name: _once(_rows, spark, seen, name, position, scratch) for name in seen.tables}
    raws: dict[str, Raw] = {}
    for table in seen.used.tables:
        others = {name: view for name, view in views.items() if name != table.name}
        rows = sliced(views[table.name](), table, region, others)
        observed, count = counted(rows)
        raws[table.name] = Raw(observed, count, rows)
    return raws


def _told(raw: Raw, table: UsedTable, position: str) -> Raw:
    """The rows of a database, each with its shape where the table has older ones."""
    if not table.has_older:
        return raw
    frame = with_shape(raw.frame, table, position, left_out=False)
    return Raw(frame, raw.count, frame)


def _rows(
    spark: SparkSession, seen: SeenSource, name: str, position: str, scratch: str
) -> DataFrame:
    """All rows of one table of a file source as they were read, with SHAPE if it has older ones."""
    section, table = seen.used.section, seen.used.table(name)
    layouts = seen.tables[name].layouts
    if table is None or not table.has_older:
        return _of_layout(spark, seen, name, layouts[0], f"{scratch}/{name}", keyed=False)
    frames = [
        _of_layout(spark, seen, name, layout, f"{scratch}/{name}/{i}", keyed=True)
        for i, layout in enumerate(layouts)
    ]
    names = tuple(dict.fromkeys([*seen.tables[name].columns, *table.read_columns]))
    whole = united(frames, names, f"{table.key_in_file}.path")
    left_out = isinstance(section, JsonLinesSource)
    return with_shape(whole, table, position, left_out=left_out)


def _of_layout(
    spark: SparkSession, seen: SeenSource, name: str, layout: Layout, folder: str, *, keyed: bool
) -> DataFrame:
    """The rows of files with the same columns; `keyed` adds KEYS, the columns of each row."""
    section, key = seen.used.section, f"sources.{seen.used.name}.tables.{name}.path"
    files, names = layout.files, layout.columns
    beside = {KEYS: json_text.keys_sql("_json")} if keyed else {}
    match section:
        case CsvSource():
            rows = csv_files.rows(spark, files, key, section, names, folder)
        case JsonLinesSource():
            return json_lines.rows(spark, files, key, names, folder, beside)
        case ParquetSource():
            rows = parquet_files.rows(spark, files)
        case SqliteSource():
            raise AssertionError("a database is read as a whole")
    return rows.selectExpr("*", f"{names_of(names)} AS {KEYS}") if keyed else rows


def _once(
    make: Callable[[SparkSession, SeenSource, str, str, str], DataFrame],
    spark: SparkSession,
    seen: SeenSource,
    name: str,
    position: str,
    scratch: str,
) -> Callable[[], DataFrame]:
    """The rows of a table, made when first asked for and kept."""
    made: list[DataFrame] = []

    def rows() -> DataFrame:
        if not made:
            made.append(make(spark, seen, name, position, scratch))
        return made[0]

    return rows


def _sum(*counts: Callable[[], int]) -> Callable[[], int]:
    return lambda: sum(count() for count in counts)
