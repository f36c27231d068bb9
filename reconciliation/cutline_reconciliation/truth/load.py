"""Tables of file sources, loaded into a database as texts by a reading path of their own."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
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
    Source,
    TableSource,
)
from cutline_reconciliation.truth.lines import Malformed, Row
from cutline_reconciliation.truth.quoting import name
from cutline_reconciliation.truth.read_csv import csv_rows
from cutline_reconciliation.truth.read_json import json_rows
from cutline_reconciliation.truth.read_parquet import parquet_rows

_BATCH = 10_000


@dataclass(frozen=True)
class Loaded:
    """A loaded table: rows read, and malformed lines that were skipped.

    A line that cannot be read is nobody's truth; it is counted, and the translation's side of the
    books has it as an exception.
    """

    rows: int
    malformed: int


def load(
    connection: Any,
    source: str,
    section: Source,
    folder: str,
    table: str,
    declared: TableSource,
    known: Sequence[str],
) -> Loaded:
    """Load the files of one table as columns of text; a value that is not there is null.

    ConfigurationError if no file is there; RunFailed if one cannot be read.
    """
    where = f"{source}.{table}"
    malformed = 0
    target = _Target(connection, f"{name(source)}.{name(table)}")
    for file in _files(where, folder, declared):
        try:
            rows = _rows(section, file)
            target.add_columns(known)
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
    return Loaded(target.rows, malformed)


def _rows(section: Source, file: str) -> Iterator[Row | Malformed]:
    if isinstance(section, CsvSource):
        return csv_rows(file, section.delimiter, section.encoding, section.multiline)
    if isinstance(section, JsonLinesSource):
        return json_rows(file)
    return parquet_rows(file)


def _files(where: str, folder: str, declared: TableSource) -> list[str]:
    """The files of a table: one, those of a folder, or those that meet a glob, sorted."""
    if declared.path is None:
        raise ConfigurationError(f"the truth of {where} needs the path of its file in cutline.yaml")
    place = Path(folder) / declared.path
    if place.is_dir():
        found = [p for p in place.rglob("*") if p.is_file() and p.name[0] not in "._"]
    elif place.exists():
        # A file whose name happens to look like a pattern is that file.
        found = [place]
    else:
        found = [Path(p) for p in glob.glob(str(place), recursive=True)]  # noqa: PTH207
    if not found:
        raise ConfigurationError(
            f"the truth of {where} is to be read from {place}, which is not there",
            next_step=f"Put the file there, or change the paths of {where} in cutline.yaml.",
        )
    return sorted(map(str, found))


@dataclass
class _Target:
    """The table that is being filled; it gets its columns as they show themselves."""

    connection: Any
    table: str
    rows: int = 0

    def __post_init__(self) -> None:
        self._columns: dict[str, str] = {}

    def add_columns(self, columns: Sequence[str]) -> None:
        for column in columns:
            # SQLite's names do not tell case apart.
            if column.lower() not in self._columns:
                head = (
                    "ALTER TABLE {} ADD COLUMN {} TEXT"
                    if self._columns
                    else "CREATE TABLE {} ({} TEXT)"
                )
                self._execute(head.format(self.table, name(column)))
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
        names = ", ".join(name(c) for c in columns)
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
