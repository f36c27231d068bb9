"""Tables of file sources, loaded as texts by readers that share nothing with the extract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import adbc_driver_manager
import pyarrow as pa

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.source import (
    CsvSource,
    JsonLinesSource,
    LogSource,
    Source,
    SqliteSource,
    TableSource,
)
from cutline.results.reconcile import TruthLoad
from cutline.sources import files_at, without_file_scheme
from cutline.sql.standard import quoted
from cutline_reconciliation.truth.lines import Malformed, Row
from cutline_reconciliation.truth.read_csv import csv_rows
from cutline_reconciliation.truth.read_json import json_rows
from cutline_reconciliation.truth.read_parquet import parquet_rows

_BATCH = 10_000


def is_database(section: Source, place: str) -> bool:
    """Whether the source's truth is a database, and not files to load.

    The truth of a source of a change file alone may be either.
    """
    log = isinstance(section, LogSource)
    return isinstance(section, SqliteSource) or (log and not Path(place).is_dir())


def load(
    connection: Any,
    source: str,
    section: Source,
    folder: str,
    table: str,
    declared: TableSource,
    known_columns: Sequence[str],
) -> TruthLoad:
    """Load the files of one table as text columns; a missing value is null.

    ConfigurationError if no file exists; RunFailed if one cannot be read.
    """
    where = f"{source}.{table}"
    malformed = 0
    target = _Target(connection, f"{quoted(source)}.{quoted(table)}")
    log = isinstance(section, LogSource)
    for file in (
        _files_by_name(where, folder, table, declared) if log else _files(where, folder, declared)
    ):
        try:
            rows = _rows(section, file, folder)
            target.add_columns(known_columns)
            while batch := list(islice(rows, _BATCH)):
                good = [row for row in batch if not isinstance(row, Malformed)]
                malformed += len(batch) - len(good)
                target.insert(good)
        except (OSError, UnicodeError, pa.ArrowException, adbc_driver_manager.Error) as error:
            raise RunFailed(
                f"the truth of {where} cannot be read from {file}: {error}",
                left_behind="The earlier stages are kept.",
                next_step="Mend the file, then run the same command again.",
            ) from error
    return TruthLoad(target.rows, malformed)


def _rows(section: Source, file: str, folder: str) -> Iterator[Row | Malformed]:
    if isinstance(section, CsvSource):
        return csv_rows(file, section.delimiter, section.encoding, section.multiline)
    if isinstance(section, JsonLinesSource):
        return json_rows(file)
    if isinstance(section, LogSource):
        return _BY_ENDING[Path(file).suffix.lower()](file, folder)
    return parquet_rows(file, folder)


_BY_ENDING: Mapping[str, Callable[[str, str], Iterator[Row | Malformed]]] = {
    ".csv": lambda file, _: csv_rows(file, ",", "utf-8", False),
    ".tsv": lambda file, _: csv_rows(file, "\t", "utf-8", False),
    ".jsonl": lambda file, _: json_rows(file),
    ".ndjson": lambda file, _: json_rows(file),
    ".parquet": parquet_rows,
}
"""Readers by file ending, for a change file's truth, whose source has no kind."""


def _files_by_name(where: str, folder: str, table: str, declared: TableSource) -> list[str]:
    """The files of a change file's table: the declared ones, else those with the table's name."""
    endings = ", ".join(_BY_ENDING)
    if declared.path is not None:
        files = _files(where, folder, declared)
        for file in files:
            if Path(file).suffix.lower() not in _BY_ENDING:
                raise ConfigurationError(
                    f"the truth of {where} is to be read from {file}, whose name does not say what "
                    f"it is",
                    next_step=f"Give files that end in one of {endings}.",
                )
        return files
    stem = declared.name or table
    places = [Path(folder) / stem, *(Path(folder) / f"{stem}{end}" for end in _BY_ENDING)]
    files_found = [
        file
        for place in places
        if place.exists()
        for file in files_at(place, f"the truth of {where}")
        if file.suffix.lower() in _BY_ENDING
    ]
    if not files_found:
        raise ConfigurationError(
            f"the truth of {where} is to be read from {folder}, which has no file of that table",
            next_step=f"Put {stem}.csv there, or a file or folder of that name that ends in one "
            f"of {endings}, or say which in sources.{where.replace('.', '.tables.', 1)}.path.",
        )
    return [str(file) for file in files_found]


def _files(where: str, folder: str, declared: TableSource) -> list[str]:
    """The files of a table, sorted, as its source has them: what that passes over is no truth."""
    if declared.path is None:
        raise ConfigurationError(f"the truth of {where} needs the path of its file in cutline.yaml")
    place = Path(folder) / without_file_scheme(declared.path)
    files = files_at(place, f"the truth of {where}")
    if not files:
        raise ConfigurationError(
            f"the truth of {where} is to be read from {place}, which is not there",
            next_step=f"Put the file there, or change the paths of {where} in cutline.yaml.",
        )
    return [str(file) for file in files]


@dataclass
class _Target:
    """The table that is filled; columns are added as rows have them."""

    connection: Any
    table: str
    rows: int = 0

    def __post_init__(self) -> None:
        self._columns: dict[str, str] = {}

    def add_columns(self, columns: Sequence[str]) -> None:
        for column in columns:
            # Names in SQLite ignore case.
            if column.lower() not in self._columns:
                head = (
                    "ALTER TABLE {} ADD COLUMN {} TEXT"
                    if self._columns
                    else "CREATE TABLE {} ({} TEXT)"
                )
                self._execute(head.format(self.table, quoted(column)))
                self._columns[column.lower()] = column

    def insert(self, rows: Sequence[Mapping[str, str | None]]) -> None:
        self.add_columns(list(dict.fromkeys(column for row in rows for column in row)))
        if not rows or not self._columns:
            return
        folded = [{column.lower(): value for column, value in row.items()} for row in rows]
        columns = list(self._columns)
        batch = pa.table(
            {c: pa.array([row.get(c) for row in folded], pa.string()) for c in columns}
        )
        marks = ", ".join("?" for _ in columns)
        names = ", ".join(quoted(c) for c in columns)
        with self.connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.executemany(
                f"INSERT INTO {self.table} ({names}) VALUES ({marks})",  # noqa: S608
                batch,
            )
            cursor.execute("COMMIT")
        self.rows += len(rows)

    def _execute(self, sql: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
