"""The place of a table as a user writes it: a file, a folder, a glob, or a database's table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cutline.control.address import Server, is_postgres, server
from cutline.errors import ConfigurationError
from cutline.project.source import CsvSource, TableSource
from cutline.sources import glob_root, matching_files, open_file
from cutline.sql.standard import without_semicolon

PARQUET, CSV, JSONL, SQLITE, POSTGRES = "parquet", "csv", "jsonl", "sqlite", "postgres"

_BY_SUFFIX = {
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".csv": CSV,
    ".tsv": CSV,
    ".txt": CSV,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".json": JSONL,
}
_BY_BEGINNING = {b"PAR1": PARQUET, b"SQLite format 3\x00": SQLITE}
_PLACES_TO_GIVE = (
    "Give Parquet, CSV (.csv, .tsv, .txt) or JSON lines (.jsonl, .ndjson, .json) as a file, a "
    "folder or a glob, a SQLite table as orders.db#orders, or a PostgreSQL table as "
    "postgresql://user@host/database#schema.table."
)


@dataclass(frozen=True)
class TablePlace:
    """The place of one side's table. `shown` is its name in messages, without a password."""

    side: str
    """The side in messages: left or right."""
    kind: str
    """parquet, csv, jsonl, sqlite or postgres."""
    shown: str
    files: tuple[Path, ...] = ()
    """Its files; the single file of a database, or none for a server."""
    folder: Path | None = None
    """The named folder, or the deepest one above all matches of a glob; null for a file."""
    table: str | None = None
    """The table in the database, as the user wrote it."""
    query: str | None = None
    """A query to the database instead of a table."""
    server: Server | None = None
    text: CsvSource | None = None
    """The format of a CSV file."""
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Csv:
    """The format of CSV files; without a delimiter it is a comma, or a tab in files called .tsv."""

    delimiter: str | None = None
    encoding: str = "utf-8"


def place(side: str, text: str, query: str | None = None, csv: Csv | None = None) -> TablePlace:
    """The place that the text names; nothing of the table is read.

    ConfigurationError if it does not exist, if its kind is not readable, or for a database without
    a table and a query, or with both.
    """
    if is_postgres(text):
        return _postgres(side, text, query)
    if text.lower().startswith("sqlite:"):
        path, _, table = text.partition(":")[2].removeprefix("//").partition("#")
        return _sqlite(side, Path(path.removeprefix("/")), table, query)
    path, mark, table = text.removeprefix("file://").partition("#")
    if "://" in path:
        raise ConfigurationError(
            f"{side}: {text} is neither on this machine nor in a database that can be read",
            next_step=_PLACES_TO_GIVE,
        )
    if mark and not Path(f"{path}#{table}").exists() and Path(path).is_file():
        return _sqlite(side, Path(path), table, query)
    return _files(side, Path(path + mark + table), query, csv or Csv())


def _postgres(side: str, text: str, query: str | None) -> TablePlace:
    url, _, table = text.partition("#")
    where = server(url)
    if where is None:
        raise ConfigurationError(
            f"{side}: this is not a complete PostgreSQL URL. Special characters of a password must "
            "be percent-encoded, such as %40 for @ and %23 for #.",
            next_step="Write postgresql://user@host:5432/database#schema.table; the password may "
            "stand in PGPASSWORD or ~/.pgpass.",
        )
    _check_table_or_query(side, where.shown, table, query)
    shown = f"{where.shown}#{table}" if table else f"a query to {where.shown}"
    return TablePlace(
        side,
        POSTGRES,
        shown,
        table=table or None,
        query=_bare(query),
        server=where,
        secrets=where.secrets,
    )


def _sqlite(side: str, path: Path, table: str, query: str | None) -> TablePlace:
    matching_files(path, side)
    if _kind_by_content(path, side) != SQLITE and path.stat().st_size:
        raise ConfigurationError(
            f"{side}: {path} is not a SQLite database, so it has no table {table!r}",
            next_step=_PLACES_TO_GIVE,
        )
    _check_table_or_query(side, str(path), table, query)
    shown = f"{path}#{table}" if table else f"a query to {path}"
    return TablePlace(side, SQLITE, shown, (path,), table=table or None, query=_bare(query))


def _files(side: str, path: Path, query: str | None, csv: Csv) -> TablePlace:
    files = tuple(matching_files(path, side))
    kinds = sorted({_kind(file, side) for file in files})
    if len(kinds) > 1:
        raise ConfigurationError(
            f"{side}: {path} holds files of several kinds: {', '.join(kinds)}",
            next_step="Name the files of one kind with a glob.",
        )
    if kinds == [SQLITE]:
        return _sqlite(side, path, "", query)
    if query is not None:
        raise ConfigurationError(
            f"{side}: {path} is {kinds[0]}, and a query can be put to a database only",
            next_step=f"Leave --{side}-query out.",
        )
    folder = path if path.is_dir() else None if path.is_file() else glob_root(path)
    if folder is not None and kinds != [PARQUET]:
        _refuse_partitions(side, folder, files)
    text = _csv(side, path, files, csv) if kinds == [CSV] else None
    return TablePlace(side, kinds[0], str(path), files, folder, text=text)


def _refuse_partitions(side: str, folder: Path, files: Iterable[Path]) -> None:
    """ConfigurationError for a file in a folder called `column=value`: its column is not read."""
    for file in files:
        names = [part for part in file.relative_to(folder).parts[:-1] if "=" in part]
        if names:
            raise ConfigurationError(
                f"{side}: {file} lies in the folder {names[0]}, whose column only Parquet has",
                next_step="Name the file itself where it does not need the column, or write the "
                "column into the files.",
            )


def _csv(side: str, path: Path, files: Iterable[Path], csv: Csv) -> CsvSource:
    tabs = all(file.suffix.lower() == ".tsv" for file in files)
    return CsvSource.model_validate(
        {
            "kind": CSV,
            "path": str(path),
            "tables": {side: TableSource()},
            "delimiter": csv.delimiter or ("\t" if tabs else ","),
            "encoding": csv.encoding,
            "multiline": True,
        }
    )


def _kind(file: Path, side: str) -> str:
    kind = _kind_by_content(file, side) or _BY_SUFFIX.get(file.suffix.lower())
    if kind is None:
        raise ConfigurationError(
            f"{side}: {file} is of no kind that is known", next_step=_PLACES_TO_GIVE
        )
    return kind


def _kind_by_content(file: Path, side: str) -> str | None:
    """The kind by the file's first bytes; null where they are of none."""
    with open_file(file, side) as handle:
        head = handle.read(16)
    return next((k for mark, k in _BY_BEGINNING.items() if head.startswith(mark)), None)


def _check_table_or_query(side: str, where: str, table: str, query: str | None) -> None:
    if bool(table) == bool(query):
        parts = "a table and a query" if table else "neither a table nor a query"
        raise ConfigurationError(
            f"{side}: {where} comes with {parts}",
            next_step=f"Write {where}#table, or give --{side}-query.",
        )


def _bare(query: str | None) -> str | None:
    return without_semicolon(query) if query else None
