"""One SQL connection in which every legacy source is a database of its name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import adbc_driver_manager
import adbc_driver_sqlite.dbapi as sqlite

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.loaded import LoadedProject
from cutline.project.source import LogSource, MysqlSource, PostgresSource, Source
from cutline.results.reconcile import TruthLoad
from cutline.sources import is_database_url
from cutline.sql.standard import literal, quoted
from cutline_reconciliation.truth.load import is_database, load
from cutline_reconciliation.truth.servers import Servers, ServerSource, open_servers

_RESERVED = ("main", "temp")


@dataclass(frozen=True)
class LegacyConnection:
    """An open connection to the legacy sources.

    `places` is the file, folder or server by source. `loaded` is the number of lines that could be
    read, by table of a file source as `source.table`. `servers` are the sources on servers, which
    answer queries themselves.
    """

    connection: Any
    places: Mapping[str, str]
    loaded: Mapping[str, TruthLoad] = field(default_factory=dict)
    servers: Servers = field(default_factory=Servers)

    @property
    def described(self) -> str:
        """The sources and their files as text, for messages."""
        return ", ".join(f"{source} ({place})" for source, place in self.places.items())


@contextlib.contextmanager
def open_legacy(
    project: LoadedProject,
    queries: Iterable[str],
    columns: Mapping[tuple[str, str], tuple[str, ...]],
    *,
    baseline: bool = False,
    in_parts: bool = False,
) -> Iterator[LegacyConnection]:
    """A read-only connection to the sources that the queries mention, all as of one moment.

    A SQLite source is attached at its `truth`, or else its `path`; a source of a change file alone
    at its `truth`, if that is a database. Declared tables of a file source, or of such a folder,
    become tables of text columns in a temporary database. `columns` are known columns by source and
    table, for a file of JSON lines need not show all of them. With `baseline`, a source that has
    one is read there.

    A source whose truth is a database on a server is asked there, each database in one read-only
    transaction, and nothing of it is loaded; with `in_parts` PostgreSQL in
    several under one snapshot.

    ConfigurationError if a file does not exist or a server does not answer; RunFailed if it cannot
    be read.
    """
    queries = list(queries)
    text = "\n".join(queries).lower()
    used = {n: s for n, s in project.file.sources.items() if n.lower() in text}
    named = {n: _place(n, s, baseline=baseline) for n, s in used.items()}
    on_servers = {
        n: ServerSource.of(n, used[n], place)
        for n, place in named.items()
        if is_database_url(place)
    }
    places = {
        n: on_servers[n].shown if n in on_servers else project.path(place).removeprefix("file://")
        for n, place in named.items()
    }
    with (
        open_servers(on_servers, queries, in_parts=in_parts) as servers,
        sqlite.connect(":memory:", autocommit=True) as connection,
    ):
        loaded: dict[str, TruthLoad] = {}
        for source, section in used.items():
            if source in on_servers:
                continue
            _attach(connection, source, section, places[source])
            if is_database(section, places[source]):
                continue
            for table, declared in section.tables.items():
                if table.lower() in text:
                    known_columns = columns.get((source, table), ())
                    loaded[f"{source}.{table}"] = load(
                        connection, source, section, places[source], table, declared, known_columns
                    )
        # One read transaction: every query sees the databases as of the same moment.
        connection.adbc_connection.set_autocommit(False)
        yield LegacyConnection(connection, places, loaded, servers)
        connection.rollback()


def _place(source: str, section: Source, *, baseline: bool) -> str:
    if baseline and section.baseline is not None:
        return section.baseline
    if section.truth is not None:
        return section.truth
    if isinstance(section, LogSource):
        raise ConfigurationError(
            f"sources.{source}.truth is missing: a change file alone cannot be asked for its truth",
            next_step="Give the database file that the truth SQL is to read, or the folder with a "
            "CSV, JSON lines or Parquet file per table.",
        )
    if isinstance(section, PostgresSource):
        return (section.replica or section.url).get_secret_value()
    if isinstance(section, MysqlSource):
        return section.url.get_secret_value()
    return section.path


def _attach(connection: Any, source: str, section: Source, place: str) -> None:
    if source.lower() in _RESERVED:
        raise ConfigurationError(
            f"source {source} cannot be asked for its truth: SQLite keeps that name for itself",
            next_step="Give the source another name in cutline.yaml.",
        )
    # An empty name is a private database on disk that SQLite removes with the connection.
    target = _read_only(source, place) if is_database(section, place) else ""
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"ATTACH DATABASE {literal(target)} AS {quoted(source)}")
            cursor.execute(f"SELECT count(*) FROM {quoted(source)}.sqlite_master")  # noqa: S608
            cursor.fetchall()
    except adbc_driver_manager.Error as error:
        raise RunFailed(
            f"the truth of source {source} cannot be read from {place}: {error}",
            left_behind="The earlier stages are kept.",
            next_step="See that the file is whole and can be read, then run the same command.",
        ) from error


def _read_only(source: str, place: str) -> str:
    path = Path(place)
    if not path.is_file():
        raise ConfigurationError(
            f"the truth of source {source} is to be read from {place}, which is not there",
            next_step=f"Put the database there, or change sources.{source}.truth in cutline.yaml.",
        )
    return f"{path.absolute().as_uri()}?mode=ro"
