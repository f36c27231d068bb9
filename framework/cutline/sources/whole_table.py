"""A whole table of a source, before any contract declares its columns."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pyspark.sql.types as T
from pyspark.sql import DataFrame, SparkSession

from cutline.errors import ConfigurationError, did_you_mean
from cutline.lake.lake import Lake
from cutline.positions import NOWHERE
from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource, JsonLinesSource, LogSource, Source, SqliteSource
from cutline.sources import sqlite
from cutline.sources.databases import database_columns, open_database
from cutline.sources.files import table_files
from cutline.sources.inspect import columns_of_files, inspect_sources, parquet_base
from cutline.sources.log_images import log_images
from cutline.sources.read import snapshot_rows
from cutline.sources.used_tables import UsedSource, UsedTable, region_takes_all_rows
from cutline.translator.column import column
from cutline.translator.contract import SourceContract
from cutline.translator.contract import table as table_metadata


@dataclass(frozen=True)
class WholeTable:
    """One table with all its columns.

    `frame` has the columns under their own names, as text or with the source's types, and may have
    LINE, UNREADABLE and MISENCODED of `cutline.sources.rows`. For a source of changes alone it has
    one row per image, and IS_NEW_ROW. `place` is the file or path that was read.
    """

    source: str
    name: str
    kind: str
    place: str
    columns: tuple[str, ...]
    frame: DataFrame


def declared_table(project: LoadedProject, source: str, name: str) -> Source:
    """The source that declares the table. ConfigurationError if cutline.yaml lacks either."""
    sources = project.file.sources
    if source not in sources:
        raise ConfigurationError(
            f"{project.config}: there is no source {source!r} under `sources`."
            + did_you_mean(source, sources),
            next_step=f"Known sources: {', '.join(sources)}.",
        )
    tables = sources[source].tables
    if name not in tables:
        raise ConfigurationError(
            f"{project.config}: sources.{source}.tables has no {name!r}."
            + did_you_mean(name, tables),
            next_step=f"Known tables: {', '.join(f'{source}.{t}' for t in tables)}. "
            f"Add others as sources.{source}.tables.<name>.",
        )
    return sources[source]


def whole_table_columns(project: LoadedProject, source: str, name: str) -> tuple[str, ...] | None:
    """The names of the table's columns; null for a source of changes alone, where only reading
    finds them.

    Of JSON lines, these are the keys in the first thousand lines of each file. ConfigurationError
    for a missing or unreadable file, for an empty table, and for two names that differ only in
    case.
    """
    section = declared_table(project, source, name)
    names: tuple[str, ...]
    if isinstance(section, LogSource):
        return None
    if isinstance(section, DatabaseSource):
        used = _as_used_table(project, source, name, (), None)
        _, names = database_columns(section, source, used, "")
    elif isinstance(section, SqliteSource):
        path = sqlite.database_file(project, source, section)
        names = sqlite.column_names(path, _as_used_table(project, source, name, (), None), "")
    else:
        files = table_files(project, source, name, section)
        key = f"sources.{source}.tables.{name}.path"
        base = parquet_base(project, source, project.file.sources[source])
        names = columns_of_files(section, files, key, (), base)
        if not names:
            raise ConfigurationError(f"{key}: {files[0]} holds no object: there is nothing to see")
    _refuse_case_twins(source, name, names, isinstance(section, JsonLinesSource))
    return names


@contextlib.contextmanager
def whole_table(
    spark: SparkSession, project: LoadedProject, source: str, name: str, region: str | None
) -> Iterator[WholeTable]:
    """The table's rows, all of them or those of a region, for as long as the context is open."""
    section = declared_table(project, source, name)
    columns = whole_table_columns(project, source, name)
    if columns is None:
        used = _as_used_table(project, source, name, (), region)
        with _scratch(spark, project) as scratch:
            columns, frame = log_images(spark, project, used, region or "", scratch)
            _refuse_case_twins(source, name, columns, json=True)
            assert isinstance(section, LogSource)
            changes = section.changes
            place = changes.path or ", ".join(changes.topic_names)
            yield WholeTable(source, name, section.kind, place, columns, frame)
        return
    used = _as_used_table(project, source, name, columns, region)
    used_source = UsedSource(source, section, (used,))
    (inspected,) = inspect_sources(project, (used_source,), region or "")
    with _scratch(spark, project) as scratch:
        opened = None
        if isinstance(section, DatabaseSource):
            opened = open_database(used_source)
        raw = snapshot_rows(spark, inspected, region or "", NOWHERE, scratch, opened)[name]
        place = str(inspected.tables[name].files[0])
        yield WholeTable(source, name, section.kind, place, columns, raw.frame)


def _as_used_table(
    project: LoadedProject, source: str, name: str, columns: tuple[str, ...], region: str | None
) -> UsedTable:
    """The table as if a contract asked for all its columns, as text."""
    section = project.file.sources[source].tables[name]
    everything = region is None or region_takes_all_rows(project, region)
    contract = _text_contract(source, name, columns)
    return UsedTable(source, name, contract, section, None if everything else section.region)


def _text_contract(source: str, name: str, columns: tuple[str, ...]) -> type[SourceContract]:
    """A contract with these columns as text, and no key."""
    attributes = {f"c{i}": alias for i, alias in enumerate(columns)}
    members: dict[str, Any] = {
        "__module__": __name__,
        "__annotations__": dict.fromkeys(attributes, T.StringType),
        "Config": type("Config", (), {"metadata": table_metadata(source, name, key=[])}),
    }
    members |= {a: column(doc="", alias=alias) for a, alias in attributes.items()}
    return type("WholeTable", (SourceContract,), members)


def _refuse_case_twins(source: str, name: str, columns: tuple[str, ...], json: bool) -> None:
    spellings = Counter(c.lower() for c in columns)
    twins = [c for c in columns if spellings[c.lower()] > 1]
    if twins:
        raise ConfigurationError(
            f"{source}.{name}: the columns {', '.join(map(repr, twins))} only differ by upper and "
            "lower case, which Spark does not tell apart"
        )
    unusable = [c for c in columns if json and ("'" in c or '"' in c)]
    if unusable:
        raise ConfigurationError(
            f"{source}.{name}: a key with a quote in it cannot be addressed: {unusable[0]!r}",
            next_step="Rename it where the file is made.",
        )


@contextlib.contextmanager
def _scratch(spark: SparkSession, project: LoadedProject) -> Iterator[str]:
    """A folder that driver and workers see, removed afterwards."""
    if project.file.spark.is_local:
        with tempfile.TemporaryDirectory(prefix="cutline-") as folder:
            yield folder
        return
    lake = Lake(f"{project.lake}/_profile/{uuid4().hex}")
    with lake.scratch_space(spark):
        yield lake.scratch("tables")
