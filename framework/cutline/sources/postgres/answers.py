"""Queries to a database, all answered as of one moment, each answer streamed as texts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import adbc_driver_manager
import pyarrow as pa
from pydantic import SecretStr

from cutline.errors import ConfigurationError
from cutline.project.postgres import PostgresLimits
from cutline.sources.pace import ReadPace
from cutline.sources.postgres.chunk_reader import ChunkReader
from cutline.sources.postgres.condition import mentioned_tables
from cutline.sources.postgres.database import PostgresDatabase
from cutline.sources.postgres.held_snapshot import hold_snapshot
from cutline.sources.postgres.watch import Watch
from cutline.sql.standard import quoted, without_semicolon

_SYNTAX_OR_NAMES = "42"


@dataclass(frozen=True)
class AskedDatabase:
    """A database in one read-only transaction. `shown` is its URL without user and password, and
    `visible` what the transaction sees.
    """

    shown: str
    visible: str
    reader: ChunkReader

    def columns(self, sql: str, label: str) -> tuple[str, ...]:
        """The names of a query's columns. ConfigurationError for SQL that the server refuses."""
        query = f"SELECT * FROM (\n{without_semicolon(sql)}\n) AS asked LIMIT 0"  # noqa: S608
        with self.reader.cursor(f"{label} could not be asked") as cursor:
            try:
                cursor.execute(query)
            except adbc_driver_manager.Error as error:
                if not str(error.sqlstate or "").startswith(_SYNTAX_OR_NAMES):
                    raise
                message = self.reader.snapshot.session.database.clean(str(error))
                raise ConfigurationError(
                    f"{label} cannot be asked of {self.shown}: {message}",
                    left_behind="The earlier stages are kept.",
                    next_step="Mend its SQL in the translation, which PostgreSQL is to understand.",
                ) from None
            return tuple(str(column[0]) for column in cursor.description or ())

    def texts(self, sql: str, columns: Iterable[str], label: str) -> Iterator[pa.RecordBatch]:
        """The rows of a query, every value as PostgreSQL writes it, batch by batch."""
        values = ", ".join(f"{quoted(c)}::text AS {quoted(c)}" for c in columns)
        query = f"SELECT {values} FROM (\n{without_semicolon(sql)}\n) AS asked"  # noqa: S608
        doing = f"{label} could not be read"
        with self.reader.cursor(doing) as cursor:
            cursor.execute(query)
            yield from self.reader.batches(cursor, doing)


@contextlib.contextmanager
def asked_database(
    url: SecretStr, key: str, schema: str, limits: PostgresLimits, queries: Iterable[str]
) -> Iterator[AskedDatabase]:
    """The database at `url`, as of this moment, for as long as the context is open.

    The schema's tables that the queries may mention are locked against a TRUNCATE. A query may take
    as long as a snapshot may be open. ConfigurationError if the server does not answer; RunFailed
    if it is gone later.
    """
    database = PostgresDatabase.at(url, key)
    with contextlib.closing(database.session()) as session:
        tables = mentioned_tables(session, schema, " ".join(queries))
    patient = limits.model_copy(update={"statement_seconds": limits.snapshot_seconds})
    snapshot = hold_snapshot(database, patient, schema, tables, exact_point=False, connections=1)
    try:
        watch = Watch(snapshot, patient, key)
        pace = ReadPace(limits, watch.stop.wait)
        reader = ChunkReader(snapshot.connection(), snapshot, watch, pace)
        with watch.watching(database, pace), contextlib.closing(reader):
            yield AskedDatabase(database.shown, snapshot.moment.visible, reader)
    finally:
        snapshot.close()
