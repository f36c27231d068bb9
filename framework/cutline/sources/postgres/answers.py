"""Queries to a database, all answered as of one moment, each answer streamed as texts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

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
from cutline.sources.postgres.together import together
from cutline.sources.postgres.watch import Watch
from cutline.sql.standard import quoted, without_semicolon

_SYNTAX_OR_NAMES = "42"
_POSITIVE = 2**63 - 1


@dataclass(frozen=True)
class AskedDatabase:
    """A database as of one moment. `shown` is its URL without user and password, `visible` what its
    transactions see, and `readers` are connections that see it.
    """

    shown: str
    visible: str
    readers: Sequence[ChunkReader]

    @property
    def reader(self) -> ChunkReader:
        """The connection that answers what is not asked in parts."""
        return self.readers[0]

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
                    next_step="Mend its SQL, which PostgreSQL is to understand.",
                ) from None
            return tuple(str(column[0]) for column in cursor.description or ())

    def texts(
        self, sql: str, columns: Iterable[str], label: str, by: str | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a query, every value as PostgreSQL writes it, batch by batch.

        `by` is a column of the answer: each connection asks for the rows of a share of its values
        then, and batches come in any order. Each row is in the share of its value, null in one.
        """
        values = ", ".join(f"{quoted(c)}::text AS {quoted(c)}" for c in columns)
        query = f"SELECT {values} FROM (\n{without_semicolon(sql)}\n) AS asked"  # noqa: S608
        doing = f"{label} could not be read"
        if by is None or len(self.readers) == 1:
            yield from _answer(self.readers[0], query, doing)
            return
        shares = (
            f"{query} WHERE {_share(by, place, len(self.readers))}"
            for place in range(len(self.readers))
        )
        answers = [
            partial(_answer, reader, share, doing)
            for reader, share in zip(self.readers, shares, strict=True)
        ]
        yield from together(answers, self.reader.watch.cancel_all)


def _answer(reader: ChunkReader, query: str, doing: str) -> Iterator[pa.RecordBatch]:
    with reader.cursor(doing) as cursor:
        cursor.execute(query)
        yield from reader.batches(cursor, doing)


def _share(column: str, place: int, shares: int) -> str:
    """SQL for whether a value, by the hash of its text, is in one of so many shares."""
    text = f'{quoted(column)}::text COLLATE "C"'
    positive = f"hashtextextended({text}, 0) & {_POSITIVE}"
    return f"coalesce(({positive}) % {shares}, 0) = {place}"


@contextlib.contextmanager
def asked_database(
    url: SecretStr,
    key: str,
    schema: str,
    limits: PostgresLimits,
    queries: Iterable[str],
    connections: int = 1,
) -> Iterator[AskedDatabase]:
    """The database at `url`, as of this moment, for as long as the context is open.

    All `connections` see the same: they import one snapshot.

    The schema's tables that the queries may mention are locked against a TRUNCATE. A query may take
    as long as a snapshot may be open. ConfigurationError if the server does not answer; RunFailed
    if it is gone later.
    """
    database = PostgresDatabase.at(url, key)
    with contextlib.closing(database.session()) as session:
        tables = mentioned_tables(session, schema, " ".join(queries))
    patient = limits.model_copy(update={"statement_seconds": limits.snapshot_seconds})
    snapshot = hold_snapshot(
        database, patient, schema, tables, exact_point=False, connections=connections
    )
    try:
        watch = Watch(snapshot, patient, key)
        pace = ReadPace(limits, watch.stop.wait)
        with contextlib.ExitStack() as open_readers:
            readers = []
            for _ in range(connections):
                reader = ChunkReader(snapshot.connection(), snapshot, watch, pace)
                readers.append(open_readers.enter_context(contextlib.closing(reader)))
            open_readers.enter_context(watch.watching(database, pace))
            yield AskedDatabase(database.shown, snapshot.moment.visible, readers)
    finally:
        snapshot.close()
