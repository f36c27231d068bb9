"""What sources look like before Spark reads them: files, columns, predicates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from cutline.cut import CutPolicy, snapshot_line
from cutline.errors import ConfigurationError
from cutline.project.changes import DebeziumChanges
from cutline.project.loaded import LoadedProject
from cutline.project.source import (
    CsvSource,
    DatabaseSource,
    JsonLinesSource,
    LogSource,
    ParquetSource,
    Source,
    SqliteSource,
)
from cutline.sources import csv_files, json_lines, parquet_files, sqlite
from cutline.sources.changes.formats import absent_is_null
from cutline.sources.changes.modes import modes_of
from cutline.sources.changes.values import refuse_unreadable
from cutline.sources.databases import database_columns, is_database_url, refuse_unreachable
from cutline.sources.exact_cast import castable_from_text
from cutline.sources.files import local_path, matching_files, table_files
from cutline.sources.layouts import Layout, every_column
from cutline.sources.previous_extract import errors_of_previous_extract, previous_extract
from cutline.sources.shapes import refuse_no_shape
from cutline.sources.used_tables import UsedSource, UsedTable


@dataclass(frozen=True)
class InspectedTable:
    """A table with its files (of a database, the one file) and its columns.

    JSON lines without any object have the contract's columns. `layouts` groups the files by their
    columns: one group, unless the contract has older shapes.
    """

    files: list[Path]
    columns: tuple[str, ...]
    layouts: tuple[Layout, ...]


@dataclass(frozen=True)
class InspectedSource:
    """A source with its used and mentioned tables by name, and its change files.

    `cut_policy` says how the snapshot meets the changes; null without changes. `transactions` are
    the files with the boundaries of the changes' transactions. `previous` is the previous extract,
    where deletions are found by comparing with it. `base` is the folder of a Parquet source below
    which folders called `column=value` are columns; null for other sources.
    """

    used: UsedSource
    tables: dict[str, InspectedTable]
    changes: list[Path]
    cut_policy: CutPolicy | None = None
    transactions: tuple[Path, ...] = ()
    previous: InspectedSource | None = None
    base: Path | None = None


def inspect_sources(
    project: LoadedProject, sources: tuple[UsedSource, ...], region: str
) -> tuple[InspectedSource, ...]:
    """All sources as their files and databases show them.

    One ConfigurationError names every problem: missing or unreadable files, missing columns, wrong
    predicates, and types that a source of this kind cannot give.
    """
    problems: list[ConfigurationError] = []
    inspected: list[InspectedSource] = []
    for source in sources:
        tables: dict[str, InspectedTable] = {}
        changes: list[Path] = []
        boundaries: list[Path] = []
        line: CutPolicy | None = None
        previous: InspectedSource | None = None
        for name in table_names(source):
            try:
                tables[name] = _inspect_table(project, source, name, region)
            except ConfigurationError as problem:
                problems.append(problem)
        try:
            refuse_missing_truth(project, source)
            line = snapshot_line(project, source.name)
            changes = change_files(project, source)
            boundaries = transaction_files(project, source)
            earlier = previous_extract(source)
            if earlier is not None:
                with errors_of_previous_extract(source):
                    (previous,) = inspect_sources(project, (earlier,), region)
        except ConfigurationError as problem:
            problems.append(problem)
        base = parquet_base(project, source.name, source.section)
        inspected.append(
            InspectedSource(source, tables, changes, line, tuple(boundaries), previous, base)
        )
    if problems:
        raise ConfigurationError(
            "\n".join(dict.fromkeys(p.what for p in problems)),
            left_behind="Nothing was written.",
            next_step="\n".join(dict.fromkeys(p.next_step for p in problems if p.next_step)),
        )
    return tuple(inspected)


def refuse_missing_truth(project: LoadedProject, source: UsedSource) -> None:
    """ConfigurationError if the place of truth or baseline does not exist or is of the wrong kind.

    A run reads them at its end, after all the work. A database must be a file, files must be in a
    folder; a source of a change file alone may have either. Of every source it may be the URL of a
    database that answers, and of a source that is a database it must be one.
    """
    section = source.section
    for key in ("truth", "baseline"):
        named = getattr(section, key)
        if named is None:
            continue
        where = f"sources.{source.name}.{key}"
        if is_database_url(named):
            refuse_unreachable(named, where)
            continue
        place = local_path(project, named, where)
        database, folder = place.is_file(), place.is_dir()
        wanted = "a folder of files"
        usable = folder
        if isinstance(section, SqliteSource):
            wanted, usable = "a database file", database
        elif isinstance(section, LogSource):
            wanted, usable = "a database file or a folder of files", database or folder
        elif isinstance(section, DatabaseSource):
            wanted, usable = "the URL of a PostgreSQL or MySQL database", False
        if not usable:
            problem = "is not there" if not place.exists() else "is none"
            raise ConfigurationError(
                f"cutline.yaml: {where}: {place} {problem}; it is to be {wanted}",
                next_step=f"Put it there, or change {where}.",
            )


def table_names(source: UsedSource) -> tuple[str, ...]:
    """The tables to inspect: used tables and, of file sources, tables that predicates mention."""
    used = [t.name for t in source.tables]
    # A database resolves the other tables of a predicate itself.
    is_database = isinstance(source.section, SqliteSource | LogSource | DatabaseSource)
    others = () if is_database else source.mentioned_tables()
    return tuple(dict.fromkeys([*used, *others]))


def change_files(project: LoadedProject, source: UsedSource) -> list[Path]:
    """The change files of a source; empty if it has no changes, or topics of them.

    ConfigurationError for a contract's type that a change file cannot give.
    """
    section = source.section.changes
    if section is None:
        return []
    key = f"sources.{source.name}.changes"
    files = changes_of_files(project, source)
    for table in source.tables:
        modes = modes_of(section, table.database_name)
        for contract, columns in zip(table.contracts, table.shapes, strict=True):
            refuse_unreadable(contract.__name__, columns, modes, key)
    return files


def changes_of_files(project: LoadedProject, source: UsedSource) -> list[Path]:
    """The change files of a source that has changes; empty if these are topics."""
    section = source.section.changes
    if section is None or section.path is None:
        return []
    key = f"sources.{source.name}.changes.path"
    return matching_files(local_path(project, section.path, key), key)


def transaction_files(project: LoadedProject, source: UsedSource) -> list[Path]:
    """The files with the boundaries of a source's transactions; empty if none are declared, or if
    these are a topic."""
    section = source.section.changes
    if not isinstance(section, DebeziumChanges) or section.transactions is None:
        return []
    if section.topic_names:
        return []
    key = f"sources.{source.name}.changes.transactions"
    return matching_files(local_path(project, section.transactions, key), key)


def _inspect_table(
    project: LoadedProject, source: UsedSource, name: str, region: str
) -> InspectedTable:
    section, table = source.section, source.table(name)
    if table is not None:
        _refuse_positions(table, section)
        _refuse_shapes_without_nulls(table, section)
    if isinstance(section, LogSource):
        assert table is not None
        key = f"sources.{source.name}.changes.path"
        topics = [Path(f"topic {topic}") for topic in section.changes.topic_names]
        files = topics or changes_of_files(project, source)
        return _inspected_table([Layout(files, _columns_to_read(table))], key)
    if isinstance(section, DatabaseSource):
        assert table is not None
        # Bytes have a type of their own there, which no text needs to stand for.
        _refuse_uncastable(table, f"a {section.kind} source", but=("binary",))
        place, columns = database_columns(section, source.name, table, region)
        return _inspected_table([Layout([place], columns)], "")
    if table is not None and not isinstance(section, ParquetSource):
        _refuse_uncastable(table, f"a {section.kind} source")
    if isinstance(section, SqliteSource):
        path = sqlite.database_file(project, source.name, section)
        assert table is not None
        return _inspected_table([Layout([path], sqlite.column_names(path, table, region))], "")
    key = f"sources.{source.name}.tables.{name}.path"
    files = table_files(project, source.name, name, section)
    base = parquet_base(project, source.name, section)
    if table is None:
        return _inspected_table(
            [Layout(files, columns_of_files(section, files, key, (), base))], key
        )
    if not table.has_older or isinstance(section, JsonLinesSource):
        layouts = [Layout(files, columns_of_files(section, files, key, table.read_columns, base))]
    elif isinstance(section, CsvSource):
        layouts = csv_files.layouts(files, key, section)
    else:
        layouts = parquet_files.layouts(files, key, base)
    if not (isinstance(section, JsonLinesSource) and _has_every_key(table, layouts[0])):
        refuse_no_shape(table, layouts)
    return _inspected_table(layouts, key)


def _columns_to_read(table: UsedTable) -> tuple[str, ...]:
    """The columns of a log's table that the contract has or the predicate mentions."""
    mentioned = re.findall(r"(?<![:\w])[A-Za-z_]\w*", table.section.region or "")
    return tuple(dict.fromkeys([*table.read_columns, *mentioned]))


def _has_every_key(table: UsedTable, layout: Layout) -> bool:
    """Whether JSON lines have every key of some shape, on any of their lines."""
    return any(set(shape) <= set(layout.columns) for shape in table.shapes)


def _inspected_table(layouts: list[Layout], key: str) -> InspectedTable:
    files = sorted(path for layout in layouts for path in layout.files)
    return InspectedTable(files, every_column(layouts, key), tuple(layouts))


def columns_of_files(
    section: CsvSource | JsonLinesSource | ParquetSource,
    files: list[Path],
    key: str,
    wanted: tuple[str, ...],
    base: Path | None,
) -> tuple[str, ...]:
    """The columns of a table's files, with the partition columns of Parquet below `base`.

    `wanted` for JSON lines without any object.
    """
    match section:
        case CsvSource():
            return csv_files.column_names(files, key, section)
        case JsonLinesSource():
            keys = json_lines.column_names(files, key, wanted)
            return wanted if keys is None else keys
        case ParquetSource():
            return parquet_files.column_names(files, key, base)


def parquet_base(project: LoadedProject, source: str, section: Source) -> Path | None:
    """The folder below which folders of a Parquet source may be columns; null for other sources."""
    if not isinstance(section, ParquetSource):
        return None
    return local_path(project, section.path, f"sources.{source}.path")


def _refuse_uncastable(table: UsedTable, kind: str, but: tuple[str, ...] = ()) -> None:
    for contract, columns in zip(table.contracts, table.shapes, strict=True):
        for column, ddl in columns.items():
            if not castable_from_text(ddl) and ddl not in but:
                raise ConfigurationError(
                    f"contract {contract.__name__}: column {column!r} is {ddl}, which {kind} "
                    "cannot give",
                    next_step="Declare it as text and take it apart in the translator.",
                )


def _refuse_positions(table: UsedTable, section: Source) -> None:
    if section.changes is None and any(s.until_position for s in table.contract.older()):
        raise ConfigurationError(
            f"contract {table.contract.__name__}: its older shapes end at positions in the log, "
            f"and sources.{table.source} has no change file: its rows have no position",
            next_step="Tell the shapes by their columns, or by `until_time` and `by`.",
        )


def _refuse_shapes_without_nulls(table: UsedTable, section: Source) -> None:
    """ConfigurationError for shapes told by their columns, where changes leave out nulls and only
    columns that may be null tell a shape from one that has all columns of it.
    """
    if section.changes is None or not absent_is_null(section.changes, "after"):
        return
    by_columns = [s.contract for s in table.contract.older() if not s.ranged]
    for shape, longer in permutations([*by_columns, table.contract], 2):
        columns = longer.columns()
        more = [name for name in columns if name not in shape.columns()]
        if set(shape.columns()) <= set(columns) and all(columns[n].nullable for n in more):
            raise ConfigurationError(
                f"contract {table.contract.__name__}: sources.{table.source}.changes leave out "
                f"columns that are null, so that a row of {longer.__name__} without "
                f"{', '.join(more)} looks like a row of {shape.__name__}",
                next_step="Tell the shapes by `until_time` and `by`, or say which of these columns "
                "are never null.",
            )
