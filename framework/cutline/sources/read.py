"""The tables of a source as rows of their changes tables: its snapshot, and later changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.cut import snapshot_position
from cutline.cut.batches import BatchPlace
from cutline.errors import RunFailed
from cutline.kafka.frozen import FrozenTopics
from cutline.lake.lake import Lake
from cutline.project.source import (
    CsvSource,
    DatabaseSource,
    JsonLinesSource,
    LogSource,
    MysqlSource,
    ParquetSource,
    PostgresSource,
    SqliteSource,
)
from cutline.sources import csv_files, json_lines, parquet_files, sqlite
from cutline.sources.batches import split_batches
from cutline.sources.changes import (
    DROPPED,
    KEY_CHANGE_PART,
    ChangeFile,
    ChangeInput,
    log_changes,
    may_redeliver,
    open_change_file,
    resolve_redeliveries,
    slice_rows,
    table_rows,
)
from cutline.sources.changes.file_part import FilePart
from cutline.sources.inputs import TableInput, count_non_rows
from cutline.sources.inspect import InspectedSource
from cutline.sources.kafka import TopicInput
from cutline.sources.layouts import Layout, union_layouts
from cutline.sources.opened_database import OpenedDatabase
from cutline.sources.predicate import filter_slice
from cutline.sources.previous_extract import deleted_between_extracts
from cutline.sources.row_counts import observe_input_rows, observe_metrics, observe_rows
from cutline.sources.rows import RawRows, TableChunk, repeated_keys, snapshot_changes
from cutline.sources.shapes import COLUMN_NAMES, column_names_sql, with_shape
from cutline.sources.used_tables import UsedTable
from cutline.spark import json_text
from cutline.spark.few_rows import counted_few
from cutline.spark.no_rows import no_rows
from cutline.tables.change import SNAPSHOT
from cutline.tables.change import changes as table_of_changes


@dataclass(frozen=True)
class TableReading:
    """One table, ready to be written: its changes, and the number of rows that its source handed
    over.

    The counts are known once the changes were written. `renames` is the number of rows that are one
    half of a changed key, each written together with its other half as one row. `batch_counts` has,
    for each batch with a declared number of rows: its id, that number, and the number that was
    read. `inputs` are the counts that the rows of each input must agree with. `chunks` are the
    parts in which a database's table was read.
    """

    table: UsedTable
    changes: DataFrame
    rows: Callable[[], int]
    renames: Callable[[], int] = lambda: 0
    batch_counts: tuple[tuple[str, int, Callable[[], int]], ...] = ()
    inputs: tuple[TableInput | KeptInput, ...] = ()
    chunks: tuple[TableChunk, ...] = ()


@dataclass(frozen=True)
class KeptInput:
    """What another run counted in an input; as `TableInput`."""

    place: str
    numbers: Mapping[str, int]

    def account(self) -> dict[str, int]:
        """As that run found it."""
        return dict(self.numbers)


@dataclass(frozen=True)
class KeptSnapshot:
    """The snapshot of a database that another run read: its rows are in the tables of that run.

    `inputs` and `chunks` are that run's accounts, by table.
    """

    lake: Lake
    inputs: Mapping[str, Sequence[KeptInput]]
    chunks: Mapping[str, Sequence[TableChunk]]

    def reading(self, spark: SparkSession, table: UsedTable) -> TableReading:
        """The snapshot's rows of a table, without the changes that the run read with them."""
        contract = table_of_changes(table.source, table.name, table.contract.ddl())
        rows = self.lake.read(spark, contract)
        inputs = tuple(self.inputs[table.name])
        count = sum(input_.numbers.get("rows", 0) for input_ in inputs)
        return TableReading(
            table,
            rows.where((F.col("op") == SNAPSHOT) & F.col("offset").isNull()),
            lambda: count,
            inputs=inputs,
            chunks=tuple(self.chunks.get(table.name, ())),
        )


@dataclass(frozen=True)
class SourceReading:
    """One source, ready to be written. `position` is that of its snapshot's rows.

    `transactions` is "told" if its changes show where transactions end, "assumed" if all
    transactions must be taken for whole; null without changes. `lines` counts the lines of its
    change files by kind. For `offsets`, `in_line`, `newest`, `committed`, `parts` and `topics` see
    `ChangeFile`.
    """

    name: str
    position: str
    tables: tuple[TableReading, ...]
    tombstones: int = 0
    ignored: int = 0
    transactions: Literal["told", "assumed"] | None = None
    offsets: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    in_line: bool = False
    newest: str | None = None
    committed: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[FilePart, ...] = ()
    topics: FrozenTopics | None = None


def read_source(
    spark: SparkSession,
    source: InspectedSource,
    *,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
    points: tuple[str, ...] = (),
    opened: object = None,
    topics: TopicInput | None = None,
    parts: tuple[FilePart, ...] = (),
    waits: bool = False,
    snapshot: KeptSnapshot | None = None,
) -> SourceReading:
    """All rows that the source holds for the slice, readable or not; nothing is written yet.

    `scratch` is a folder for files that must exist until the changes were written. `points` are
    commits that the change file is asked about (see `ChangeFile.committed`). `opened` is what is
    open of a source that moves, and was frozen for the run; `topics` are its changes where these
    are no files. With `parts` only these parts of the change files are read, without transactions
    that have no end there; of topics they are left out if the read `waits` for their ends.
    `snapshot` is the one that another run read, where it is not read again.
    """
    section = source.used.section
    position = snapshot_position(source.cut_policy)
    readings: dict[str, TableReading] = {}
    for place, batch in split_batches(source):
        folder = scratch if place is None else f"{scratch}/{place.generation}-{place.id}"
        for table_reading in _snapshot_readings(
            spark, batch, place, region, extract_time, folder, opened, snapshot
        ):
            earlier = readings.get(table_reading.table.name)
            readings[table_reading.table.name] = (
                table_reading if earlier is None else _with_batch(earlier, table_reading)
            )
    if source.previous is not None:
        previous_readings = _snapshot_readings(
            spark, source.previous, None, region, extract_time, f"{scratch}/previous"
        )
        for table_reading in previous_readings:
            earlier = readings[table_reading.table.name]
            deletions, count = deleted_between_extracts(earlier.changes, table_reading.changes)
            readings[table_reading.table.name] = replace(
                earlier,
                changes=earlier.changes.unionByName(deletions),
                rows=_sum(earlier.rows, count),
            )
    if section.changes is None:
        return SourceReading(source.used.name, position, tuple(readings.values()))
    names = {t.name: t.database_name for t in source.used.tables}
    key = f"sources.{source.used.name}.changes.path" if topics is None else topics.key
    files = [*source.changes, *source.transactions] if topics is None else topics.slots
    change_files = len(source.changes) if topics is None else topics.change_slots
    columns_read = {
        t.database_name: (*source.tables[t.name].columns, *t.read_columns)
        for t in source.used.tables
    }
    change_input = ChangeInput(
        key,
        section.changes,
        files,
        change_files,
        names,
        points,
        columns_read,
        topics,
        parts,
        waits=waits and topics is not None,
    )
    file = open_change_file(spark, change_input, f"{scratch}/changes")
    table_readings = [
        with_changes(file, reading, source.tables[name].columns, region, extract_time)
        for name, reading in readings.items()
    ]
    return SourceReading(
        source.used.name,
        position,
        tuple(table_readings),
        file.tombstones,
        file.ignored,
        file.transactions,
        file.offsets,
        file.in_line,
        file.newest,
        file.committed,
        file.lines,
        file.parts,
        file.topics,
    )


def _snapshot_readings(
    spark: SparkSession,
    source: InspectedSource,
    place: BatchPlace | None,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
    opened: object = None,
    snapshot: KeptSnapshot | None = None,
) -> list[TableReading]:
    """The rows of each used table of a snapshot, or of one batch of it, as changes."""
    if snapshot is not None:
        return [snapshot.reading(spark, table) for table in source.used.tables]
    if isinstance(source.used.section, LogSource):
        return [
            TableReading(table, no_changes(spark, table), lambda: 0) for table in source.used.tables
        ]
    position = snapshot_position(source.cut_policy) if place is None else place.point.text
    snapshots = snapshot_rows(spark, source, region, position, scratch, opened)
    readings = []
    for table in source.used.tables:
        raw = snapshots[table.name]
        changes = snapshot_changes(
            raw.frame,
            table,
            _find_repeated_keys(raw, table),
            position=position,
            extract_time=extract_time,
            generation=0 if place is None else place.generation,
        )
        # The number that a job declares is of all regions.
        declared = place.rows.get(table.name) if place and table.predicate is None else None
        expected = () if declared is None or place is None else ((place.id, declared, raw.count),)
        readings.append(
            TableReading(
                table,
                changes,
                raw.count,
                batch_counts=expected,
                inputs=raw.inputs,
                chunks=raw.chunks,
            )
        )
    return readings


def _with_batch(first: TableReading, second: TableReading) -> TableReading:
    changes = first.changes.unionByName(second.changes)
    expected = (*first.batch_counts, *second.batch_counts)
    inputs = (*first.inputs, *second.inputs)
    rows = _sum(first.rows, second.rows)
    return replace(first, changes=changes, rows=rows, batch_counts=expected, inputs=inputs)


def with_changes(
    file: ChangeFile,
    reading: TableReading,
    columns: tuple[str, ...],
    region: str,
    extract_time: dt.datetime,
) -> TableReading:
    """The reading with the rows of the change file after those of the snapshot."""
    table = reading.table
    is_dropped = F.coalesce(F.col(KEY_CHANGE_PART) == DROPPED, F.lit(False))
    table_changes, count_all = observe_input_rows(table_rows(file, table, columns))
    slice_changes, counts = observe_metrics(
        slice_rows(table_changes, table, region),
        rows=F.count(F.lit(1)),
        renames=F.count_if(is_dropped),
    )
    changes = log_changes(slice_changes.where(~is_dropped), table, file.section, extract_time)
    if may_redeliver(file.section):
        changes = resolve_redeliveries(changes, file.section)
    left_out = partial(_difference, count_all, counts["rows"]) if table.predicate else None
    table_input = TableInput(file.place, file.row_counts[table.name], counts["rows"], left_out)
    return TableReading(
        table,
        reading.changes.unionByName(changes),
        _sum(reading.rows, counts["rows"]),
        counts["renames"],
        reading.batch_counts,
        (*reading.inputs, table_input),
        reading.chunks,
    )


def _find_repeated_keys(raw: RawRows, table: UsedTable) -> DataFrame | None:
    """The keys that occur more than once; null if there are none, as usual.

    A pass over the keys alone spares all rows an exchange.
    """
    if raw.key_rows is None:
        return None
    return counted_few(repeated_keys(raw.key_rows, table))


def snapshot_rows(
    spark: SparkSession,
    source: InspectedSource,
    region: str,
    position: str,
    scratch: str,
    opened: object = None,
) -> dict[str, RawRows]:
    """The slice's rows of each used table, as they stand in the source, or in what is `opened` of
    one that moves. `scratch` must stay until they were written.
    """
    section = source.used.section
    if isinstance(section, DatabaseSource):
        if not isinstance(opened, OpenedDatabase):
            raise RunFailed(
                f"source {source.used.name} cannot be read again for this run: its snapshot has "
                "ended, and what was read of it is gone from the lake",
                next_step="Run the same command again: it takes a snapshot of its own.",
            )
        read = opened.raw_rows(
            spark, source.used.tables, region, f"{scratch}/chunks", partial(_input_label, source)
        )
        return {
            t.name: _with_database_shapes(read[t.name], t, position) for t in source.used.tables
        }
    assert not isinstance(section, LogSource)  # it has no snapshot beside its changes
    if isinstance(section, SqliteSource):
        path = source.tables[source.used.tables[0].name].files[0]
        present = {name: table.columns for name, table in source.tables.items()}
        read = sqlite.read_tables(spark, path, source.used, present, region, scratch)
        return {
            t.name: _with_database_shapes(read[t.name], t, position) for t in source.used.tables
        }
    views = {
        name: _cached(_rows_of_files, spark, source, name, position, scratch)
        for name in source.tables
    }
    raws: dict[str, RawRows] = {}
    for table in source.used.tables:
        others = {name: _frame(view) for name, view in views.items() if name != table.name}
        file_rows = views[table.name]()
        slice_of = partial(filter_slice, table=table, region=region, other_tables=others)
        rows = slice_of(file_rows.frame)
        if table.predicate is None or isinstance(section, ParquetSource):
            observed, count = observe_rows(rows)
            left_out = partial(_count_other_slices, file_rows.frame, slice_of)
        else:
            all_rows, count_all = observe_input_rows(file_rows.frame)
            observed, count = observe_rows(slice_of(all_rows))
            left_out = partial(_difference, count_all, count)
        other_slices = left_out if table.predicate else None
        table_input = TableInput(
            _input_label(source, table),
            file_rows.total_rows,
            count,
            other_slices,
            file_rows.non_rows,
        )
        raws[table.name] = RawRows(observed, count, rows, (table_input,))
    return raws


def _count_other_slices(frame: DataFrame, slice_of: Callable[[DataFrame], DataFrame]) -> int:
    """The number of rows of Parquet files outside the slice, by a pass over the predicate's
    columns.

    Counting them in the pass that reads, as for other files, would make that pass read the row
    groups that it can skip by the files' statistics.
    """
    all_rows, count_all = observe_input_rows(frame)
    slice_count = slice_of(all_rows).count()
    return count_all() - slice_count


@dataclass(frozen=True)
class _TableRows:
    """All rows of a table, their number by an independent count, and counts of non-rows by name."""

    frame: DataFrame
    total_rows: int
    non_rows: Mapping[str, int] = field(default_factory=dict)


def _frame(view: Callable[[], _TableRows]) -> Callable[[], DataFrame]:
    return lambda: view().frame


def _input_label(source: InspectedSource, table: UsedTable) -> str:
    files = source.tables[table.name].files
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    key = "" if isinstance(source.used.section, DatabaseSource) else ".path"
    return f"{table.config_key}{key}: {files[0]}{more}"


def no_changes(spark: SparkSession, table: UsedTable) -> DataFrame:
    """An empty changes table, for a source whose snapshot is in its change file."""
    contract = table_of_changes(table.source, table.name, table.contract.ddl())
    return no_rows(spark, contract.ddl)


def _with_database_shapes(raw: RawRows, table: UsedTable, position: str) -> RawRows:
    """The rows of a database, each with its shape if the table has older shapes."""
    if not table.has_older:
        return raw
    frame = with_shape(raw.frame, table, position, nulls_omitted=False)
    return replace(raw, frame=frame, key_rows=frame)


def _rows_of_files(
    spark: SparkSession, source: InspectedSource, name: str, position: str, scratch: str
) -> _TableRows:
    """All rows of one table of a file source as they were read, with SHAPE if it has older ones."""
    section, table = source.used.section, source.used.table(name)
    layouts = source.tables[name].layouts
    if table is None or not table.has_older:
        return _rows_of_layout(spark, source, name, layouts[0], f"{scratch}/{name}", keyed=False)
    by_layout = [
        _rows_of_layout(spark, source, name, layout, f"{scratch}/{name}/{i}", keyed=True)
        for i, layout in enumerate(layouts)
    ]
    names = tuple(dict.fromkeys([*source.tables[name].columns, *table.read_columns]))
    frame = union_layouts(
        [layout_rows.frame for layout_rows in by_layout], names, f"{table.config_key}.path"
    )
    nulls_omitted = isinstance(section, JsonLinesSource)
    non_rows: Counter[str] = Counter()
    for layout_rows in by_layout:
        non_rows.update(layout_rows.non_rows)
    shaped = with_shape(frame, table, position, nulls_omitted=nulls_omitted)
    return _TableRows(shaped, sum(layout_rows.total_rows for layout_rows in by_layout), non_rows)


def _rows_of_layout(
    spark: SparkSession,
    source: InspectedSource,
    name: str,
    layout: Layout,
    folder: str,
    *,
    keyed: bool,
) -> _TableRows:
    """The rows of files with the same columns; `keyed` adds COLUMN_NAMES."""
    section, key = source.used.section, f"sources.{source.used.name}.tables.{name}.path"
    files, names = layout.files, layout.columns
    extra_columns = {COLUMN_NAMES: json_text.keys_sql("_json")} if keyed else {}
    match section:
        case CsvSource():
            rows, accounts = csv_files.read_rows(spark, files, key, section, names, folder)
            total_rows, non_rows = accounts.records, count_non_rows(accounts)
        case JsonLinesSource():
            rows, accounts = json_lines.read_rows(spark, files, key, names, folder, extra_columns)
            return _TableRows(rows, accounts.records, count_non_rows(accounts))
        case ParquetSource():
            rows, non_rows = parquet_files.read_rows(spark, files, source.base), {}
            total_rows = parquet_files.footer_row_count(files, key)
        case SqliteSource() | LogSource() | PostgresSource() | MysqlSource():
            raise AssertionError("a database is read as a whole, a log has no rows beside it")
    if keyed:
        rows = rows.selectExpr("*", f"{column_names_sql(names)} AS {COLUMN_NAMES}")
    return _TableRows(rows, total_rows, non_rows)


def _cached(
    make: Callable[[SparkSession, InspectedSource, str, str, str], _TableRows],
    spark: SparkSession,
    source: InspectedSource,
    name: str,
    position: str,
    scratch: str,
) -> Callable[[], _TableRows]:
    """A function that reads the rows of a table at its first call, and returns the same later."""
    cache: list[_TableRows] = []

    def rows() -> _TableRows:
        if not cache:
            cache.append(make(spark, source, name, position, scratch))
        return cache[0]

    return rows


def _difference(total: Callable[[], int], part: Callable[[], int]) -> int:
    return total() - part()


def _sum(*counts: Callable[[], int]) -> Callable[[], int]:
    return lambda: sum(count() for count in counts)
