"""A source's tables as rows of their changes: the snapshot, and the changes after it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.cut import snapshot_position
from cutline.cut.batches import BatchPlace
from cutline.project.source import (
    CsvSource,
    JsonLinesSource,
    LogSource,
    ParquetSource,
    SqliteSource,
)
from cutline.sources import csv_files, json_lines, parquet_files, sqlite
from cutline.sources.batches import batches_of
from cutline.sources.changes import (
    DROPPED,
    PART,
    ChangeFile,
    Input,
    changed_rows,
    changes_of,
    may_repeat,
    of_slice,
    opened_changes,
    settled,
)
from cutline.sources.inputs import TableInput, count_non_rows
from cutline.sources.inspect import SeenSource
from cutline.sources.layouts import Layout, union_layouts
from cutline.sources.predicate import sliced
from cutline.sources.previous_extract import gone
from cutline.sources.row_counts import observe_input_rows, observe_metrics, observe_rows
from cutline.sources.rows import Raw, repeated_keys, snapshot_changes
from cutline.sources.shapes import KEYS, names_of, with_shape
from cutline.sources.used_tables import UsedTable
from cutline.spark import json_text
from cutline.spark.no_rows import no_rows
from cutline.tables.change import changes as table_of_changes

_FEW = 100_000


@dataclass(frozen=True)
class Reading:
    """One table, ready to be written: its changes, and how many rows its source handed over.

    Of these, `renames` are halves of changed keys, each written with its other half as one row.
    What is counted may be asked once the changes were written. `expected` has, for each batch whose
    job says how many rows it wrote: its id, that number, and the rows that were found. `inputs` are
    the counts with which the rows of each input must agree.
    """

    table: UsedTable
    changes: DataFrame
    rows: Callable[[], int]
    renames: Callable[[], int] = lambda: 0
    expected: tuple[tuple[str, int, Callable[[], int]], ...] = ()
    inputs: tuple[TableInput, ...] = ()


@dataclass(frozen=True)
class SourceReading:
    """One source, ready to be written. `position` is that of its snapshot rows.

    `transactions` says if its changes tell where transactions end, or if that they are whole is
    assumed; null without changes. `lines` says by name what the lines of its change files are.
    `offsets`, `in_line`, `newest`, `committed`: see sources.changes.change_file.ChangeFile.
    """

    name: str
    position: str
    tables: tuple[Reading, ...]
    tombstones: int = 0
    ignored: int = 0
    transactions: Literal["told", "assumed"] | None = None
    offsets: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    in_line: bool = False
    newest: str | None = None
    committed: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)


def read_source(
    spark: SparkSession,
    seen: SeenSource,
    *,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
    points: tuple[str, ...] = (),
) -> SourceReading:
    """Everything that the source holds for the slice, readable or not; nothing is written yet.

    `scratch` is a folder for files that must live until the changes were written; `points` are
    commits that the change file is asked about (see `ChangeFile.committed`).
    """
    section = seen.used.section
    position = snapshot_position(seen.line)
    readings: dict[str, Reading] = {}
    for place, batch in batches_of(seen):
        folder = scratch if place is None else f"{scratch}/{place.generation}-{place.id}"
        for one in _snapshot(spark, batch, place, region, extract_time, folder):
            known = readings.get(one.table.name)
            readings[one.table.name] = one if known is None else _with_batch(known, one)
    if seen.previous is not None:
        before = _snapshot(spark, seen.previous, None, region, extract_time, f"{scratch}/previous")
        for one in before:
            known = readings[one.table.name]
            lost, count = gone(known.changes, one.changes)
            readings[one.table.name] = replace(
                known, changes=known.changes.unionByName(lost), rows=_sum(known.rows, count)
            )
    if section.changes is None:
        return SourceReading(seen.used.name, position, tuple(readings.values()))
    names = {t.name: t.database_name for t in seen.used.tables}
    key = f"sources.{seen.used.name}.changes.path"
    files = [*seen.changes, *seen.transactions]
    asked = {
        t.database_name: (*seen.tables[t.name].columns, *t.read_columns) for t in seen.used.tables
    }
    given = Input(key, section.changes, files, len(seen.changes), names, points, asked)
    file = opened_changes(spark, given, f"{scratch}/changes")
    both = [
        _with_changes(file, reading, seen.tables[name].columns, region, extract_time)
        for name, reading in readings.items()
    ]
    return SourceReading(
        seen.used.name,
        position,
        tuple(both),
        file.tombstones,
        file.ignored,
        file.transactions,
        file.offsets,
        file.in_line,
        file.newest,
        file.committed,
        file.lines,
    )


def _snapshot(
    spark: SparkSession,
    seen: SeenSource,
    place: BatchPlace | None,
    region: str,
    extract_time: dt.datetime,
    scratch: str,
) -> list[Reading]:
    """The rows of each used table of a snapshot, or of one batch of it, as changes."""
    if isinstance(seen.used.section, LogSource):
        return [Reading(table, _none(spark, table), lambda: 0) for table in seen.used.tables]
    position = snapshot_position(seen.line) if place is None else place.point.text
    snapshots = snapshot_rows(spark, seen, region, position, scratch)
    found = []
    for table in seen.used.tables:
        raw = snapshots[table.name]
        changes = snapshot_changes(
            raw.frame,
            table,
            _repeated(raw, table),
            position=position,
            extract_time=extract_time,
            generation=0 if place is None else place.generation,
        )
        # What a job says that it wrote is of all regions.
        told = place.rows.get(table.name) if place and table.predicate is None else None
        expected = () if told is None or place is None else ((place.id, told, raw.count),)
        found.append(Reading(table, changes, raw.count, expected=expected, inputs=raw.inputs))
    return found


def _with_batch(one: Reading, other: Reading) -> Reading:
    both = one.changes.unionByName(other.changes)
    expected = (*one.expected, *other.expected)
    inputs = (*one.inputs, *other.inputs)
    rows = _sum(one.rows, other.rows)
    return replace(one, changes=both, rows=rows, expected=expected, inputs=inputs)


def _with_changes(
    file: ChangeFile,
    reading: Reading,
    columns: tuple[str, ...],
    region: str,
    extract_time: dt.datetime,
) -> Reading:
    """The snapshot's rows and those of the change file."""
    table = reading.table
    dropped = F.coalesce(F.col(PART) == DROPPED, F.lit(False))
    every, there_are = observe_input_rows(changes_of(file, table, columns))
    mine, handed = observe_metrics(
        of_slice(every, table, region), rows=F.count(F.lit(1)), renames=F.count_if(dropped)
    )
    later = changed_rows(mine.where(~dropped), table, file.section, extract_time)
    if may_repeat(file.section):
        later = settled(later, file.section)
    left_out = partial(_difference, there_are, handed["rows"]) if table.predicate else None
    told = TableInput(file.place, file.row_counts[table.name], handed["rows"], left_out)
    return Reading(
        table,
        reading.changes.unionByName(later),
        _sum(reading.rows, handed["rows"]),
        handed["renames"],
        reading.expected,
        (*reading.inputs, told),
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
    assert not isinstance(section, LogSource)  # it has no snapshot beside its changes
    if isinstance(section, SqliteSource):
        path = seen.tables[seen.used.tables[0].name].files[0]
        present = {name: table.columns for name, table in seen.tables.items()}
        read = sqlite.read(spark, path, seen.used, present, region, scratch)
        return {t.name: _told(read[t.name], t, position) for t in seen.used.tables}
    views = {name: _once(_rows, spark, seen, name, position, scratch) for name in seen.tables}
    raws: dict[str, Raw] = {}
    for table in seen.used.tables:
        others = {name: _frame(view) for name, view in views.items() if name != table.name}
        found = views[table.name]()
        slice_of = partial(sliced, table=table, region=region, others=others)
        rows = slice_of(found.frame)
        if table.predicate is None or isinstance(section, ParquetSource):
            handed, count = observe_rows(rows)
            left_out = partial(_left_out, found.frame, slice_of)
        else:
            every, there_are = observe_input_rows(found.frame)
            handed, count = observe_rows(slice_of(every))
            left_out = partial(_difference, there_are, count)
        apart = left_out if table.predicate else None
        held = TableInput(_place(seen, table), found.there, count, apart, found.beside)
        raws[table.name] = Raw(handed, count, rows, (held,))
    return raws


def _left_out(frame: DataFrame, slice_of: Callable[[DataFrame], DataFrame]) -> int:
    """How many rows of Parquet files a slice leaves out, by a pass over the columns that its
    predicate speaks of.

    To count them in the pass that reads, as elsewhere, would have that pass read the groups of rows
    which the files' statistics let it pass over.
    """
    every, there_are = observe_input_rows(frame)
    mine = slice_of(every).count()
    return there_are() - mine


@dataclass(frozen=True)
class _Whole:
    """All rows of a table, how many there are by a count of its own, and what is beside them."""

    frame: DataFrame
    there: int
    beside: Mapping[str, int] = field(default_factory=dict)


def _frame(view: Callable[[], _Whole]) -> Callable[[], DataFrame]:
    return lambda: view().frame


def _place(seen: SeenSource, table: UsedTable) -> str:
    files = seen.tables[table.name].files
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{table.key_in_file}.path: {files[0]}{more}"


def _none(spark: SparkSession, table: UsedTable) -> DataFrame:
    """No change at all, of a source whose snapshot stands in its change file."""
    told = table_of_changes(table.source, table.name, table.contract.ddl())
    return no_rows(spark, told.ddl)


def _told(raw: Raw, table: UsedTable, position: str) -> Raw:
    """The rows of a database, each with its shape where the table has older ones."""
    if not table.has_older:
        return raw
    frame = with_shape(raw.frame, table, position, left_out=False)
    return Raw(frame, raw.count, frame)


def _rows(spark: SparkSession, seen: SeenSource, name: str, position: str, scratch: str) -> _Whole:
    """All rows of one table of a file source as they were read, with SHAPE if it has older ones."""
    section, table = seen.used.section, seen.used.table(name)
    layouts = seen.tables[name].layouts
    if table is None or not table.has_older:
        return _of_layout(spark, seen, name, layouts[0], f"{scratch}/{name}", keyed=False)
    wholes = [
        _of_layout(spark, seen, name, layout, f"{scratch}/{name}/{i}", keyed=True)
        for i, layout in enumerate(layouts)
    ]
    names = tuple(dict.fromkeys([*seen.tables[name].columns, *table.read_columns]))
    frame = union_layouts([whole.frame for whole in wholes], names, f"{table.key_in_file}.path")
    left_out = isinstance(section, JsonLinesSource)
    beside: Counter[str] = Counter()
    for whole in wholes:
        beside.update(whole.beside)
    shaped = with_shape(frame, table, position, left_out=left_out)
    return _Whole(shaped, sum(whole.there for whole in wholes), beside)


def _of_layout(
    spark: SparkSession, seen: SeenSource, name: str, layout: Layout, folder: str, *, keyed: bool
) -> _Whole:
    """The rows of files with the same columns; `keyed` adds KEYS, the columns of each row."""
    section, key = seen.used.section, f"sources.{seen.used.name}.tables.{name}.path"
    files, names = layout.files, layout.columns
    beside = {KEYS: json_text.keys_sql("_json")} if keyed else {}
    match section:
        case CsvSource():
            rows, cut = csv_files.read_rows(spark, files, key, section, names, folder)
            there, around = cut.records, count_non_rows(cut)
        case JsonLinesSource():
            rows, cut = json_lines.read_rows(spark, files, key, names, folder, beside)
            return _Whole(rows, cut.records, count_non_rows(cut))
        case ParquetSource():
            rows, around = parquet_files.read_rows(spark, files, seen.base), {}
            there = parquet_files.footer_row_count(files, key)
        case SqliteSource() | LogSource():
            raise AssertionError("a database is read as a whole, a log has no rows beside it")
    if keyed:
        rows = rows.selectExpr("*", f"{names_of(names)} AS {KEYS}")
    return _Whole(rows, there, around)


def _once(
    make: Callable[[SparkSession, SeenSource, str, str, str], _Whole],
    spark: SparkSession,
    seen: SeenSource,
    name: str,
    position: str,
    scratch: str,
) -> Callable[[], _Whole]:
    """The rows of a table, made when first asked for and kept."""
    made: list[_Whole] = []

    def rows() -> _Whole:
        if not made:
            made.append(make(spark, seen, name, position, scratch))
        return made[0]

    return rows


def _difference(one: Callable[[], int], other: Callable[[], int]) -> int:
    return one() - other()


def _sum(*counts: Callable[[], int]) -> Callable[[], int]:
    return lambda: sum(count() for count in counts)
