"""One connection that reads chunks under a snapshot of another, from the database into files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import adbc_driver_manager
import pyarrow as pa

from cutline.sources.pace import ReadPace
from cutline.sources.postgres.catalog import CatalogColumn
from cutline.sources.postgres.column_sql import arrow_type, is_native, value_sql
from cutline.sources.postgres.database import close_quietly
from cutline.sources.postgres.held_snapshot import HeldSnapshot
from cutline.sources.postgres.odd_values import odd_columns
from cutline.sources.postgres.watch import Watch

_BATCH_BYTES = 4 << 20
Writer = Callable[[pa.RecordBatch], None]


class OddValues(Exception):
    """A chunk has values that a native type would bend, in these columns."""

    def __init__(self, columns: set[str]) -> None:
        super().__init__(", ".join(sorted(columns)))
        self.columns = columns


@dataclass(frozen=True)
class ColumnRequest:
    """A column to read, and the type that its contract asks for."""

    column: CatalogColumn
    ddl: str

    def native(self, texts: set[str]) -> bool:
        """Whether it is read with its own type; `texts` are columns that are not."""
        return self.column.name not in texts and is_native(self.column, self.ddl)


@dataclass
class ChunkReader:
    """A connection under an imported snapshot. It is used by one thread at a time."""

    connection: Any
    snapshot: HeldSnapshot
    watch: Watch
    pace: ReadPace

    def close(self) -> None:
        """Ends the connection."""
        close_quietly(self.connection)

    def numbers(self, sql: str) -> tuple[Any, ...]:
        """The single row of a query."""
        with self.cursor("a count could not be made") as cursor:
            cursor.execute(sql)
            row = cursor.fetchone()
        return tuple(row)

    @contextlib.contextmanager
    def statement_seconds(self, seconds: float) -> Iterator[None]:
        """Lets statements take so long within the context, and as long as before after it."""
        before = next(s for s in self.snapshot.settings if "statement_timeout" in s)
        self._execute(f"SET statement_timeout = {int(seconds * 1000)}")
        yield
        self._execute(before)

    def read(
        self,
        requests: Sequence[ColumnRequest],
        relation: str,
        where: str,
        texts: set[str],
        write: Writer,
    ) -> int:
        """Writes the rows of a chunk batch by batch; their number.

        `texts` are columns to read as texts although their type could be handed over. OddValues at
        the first batch with a value that its type would bend.
        """
        columns = ", ".join(value_sql(r.column, r.ddl, native=r.native(texts)) for r in requests)
        schema = chunk_schema(requests, texts)
        rows = 0
        doing = f"{relation} could not be read"
        with self.cursor(doing) as cursor:
            size = {"adbc.postgresql.batch_size_hint_bytes": str(_BATCH_BYTES)}
            cursor.adbc_statement.set_options(**size)
            cursor.execute(f"SELECT {columns} FROM {relation} WHERE {where}")  # noqa: S608
            for batch in self.batches(cursor, doing):
                self.watch.check()
                odd = odd_columns(batch)
                if odd:
                    raise OddValues(odd)
                write(pa.record_batch(batch.columns, schema))
                rows += batch.num_rows
                self.pace.after(batch.num_rows, batch.nbytes)
                self.watch.check()
        return rows

    def _execute(self, statement: str) -> None:
        with self.cursor("a session could not be set up") as cursor:
            cursor.execute(statement)

    def batches(self, cursor: Any, doing: str) -> Iterator[pa.RecordBatch]:
        """The batches of an answer, whose errors are Cutline's."""
        answer = iter(cursor.fetch_record_batch())
        while True:
            try:
                batch = next(answer, None)
            except (OSError, pa.ArrowException) as error:
                self.watch.check()
                raise self.snapshot.session.database.failure(doing, error) from None
            if batch is None:
                return
            yield batch

    @contextlib.contextmanager
    def cursor(self, doing: str) -> Iterator[Any]:
        """A cursor whose errors are Cutline's, and which a limit that is reached ends."""
        self.watch.check()
        try:
            with contextlib.closing(self.connection.cursor()) as cursor:
                self.watch.cancel.append(cursor.adbc_cancel)
                try:
                    yield cursor
                finally:
                    self.watch.cancel.remove(cursor.adbc_cancel)
        except adbc_driver_manager.Error as error:
            # A limit that was reached ends the statement: the limit is the reason.
            self.watch.check()
            raise self.snapshot.session.database.failure(doing, error) from None


def chunk_schema(requests: Sequence[ColumnRequest], texts: set[str]) -> pa.Schema:
    """The columns of a chunk's files with their types."""
    return pa.schema(
        [(r.column.name, arrow_type(r.column, native=r.native(texts))) for r in requests]
    )
