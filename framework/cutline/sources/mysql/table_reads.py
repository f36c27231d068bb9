"""All tables of a source, read in ranges by several sessions under one snapshot."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa

from cutline.errors import CutlineError
from cutline.logs import logger
from cutline.project.database_limits import DatabaseLimits
from cutline.sources.mysql.catalog import MysqlColumn, MysqlTable
from cutline.sources.mysql.column_sql import mysql_arrow_type, mysql_value_sql
from cutline.sources.mysql.database import MysqlSession, statement_limit
from cutline.sources.mysql.snapshot import MysqlSnapshot
from cutline.sources.mysql.watch import MysqlWatch
from cutline.sources.pace import ReadPace
from cutline.sources.scratch import parquet_writer
from cutline.sources.used_tables import UsedTable

_LOG = logger(__name__)
_BATCH_ROWS = 2_000

Work = Callable[[MysqlSession], None]


@dataclass
class MysqlTableRead:
    """What is asked of one table, and what has been read of it so far.

    `columns` are those of the contract's shapes that the table has. `conditions` are the ranges;
    `rows` has the number of rows of each that was read whole, by its place, and `folder` a folder
    of files for each.
    """

    table: UsedTable
    catalog: MysqlTable
    columns: tuple[MysqlColumn, ...]
    conditions: tuple[str, ...]
    predicate: str | None
    folder: str
    rows: dict[int, int] = field(default_factory=dict)
    total_rows: int = 0
    rows_of_others: int = 0

    def folder_of(self, place: int) -> str:
        """The folder of a range's files."""
        return f"{self.folder}/{place:05d}"

    @property
    def schema(self) -> pa.Schema:
        """The columns of the files with their types."""
        return pa.schema([(c.name, mysql_arrow_type(c)) for c in self.columns])

    def range_sql(self, place: int) -> str:
        """The query for the slice's rows of a range."""
        values = ", ".join(map(mysql_value_sql, self.columns))
        # The line end keeps a comment in the predicate from reaching the bracket.
        slice_ = "" if self.predicate is None else f" AND (\n{self.predicate}\n)"
        where = f"({self.conditions[place]}){slice_}"
        return f"SELECT {values} FROM {self.catalog.sql_name} WHERE {where}"  # noqa: S608

    def count_sql(self) -> str:
        """A query for the number of all rows, and of those of other slices, with no range in it."""
        others = "0" if self.predicate is None else f"SUM((\n{self.predicate}\n) IS NOT TRUE)"
        return f"SELECT COUNT(*), COALESCE({others}, 0) FROM {self.catalog.sql_name}"  # noqa: S608


@dataclass(frozen=True)
class MysqlReader:
    """What it takes to read tables: the snapshot, the limits, and the source's key."""

    snapshot: MysqlSnapshot
    limits: DatabaseLimits
    key: str

    def read(self, reads: Sequence[MysqlTableRead]) -> None:
        """Fills in the rows and the counts of each table.

        RunFailed if the server is gone, or at a limit: a snapshot ends with its session, and no
        other can take its place.
        """
        watch = MysqlWatch(self.snapshot, self.limits, self.key)
        pace = ReadPace(self.limits, watch.stop.wait)
        work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        for table_read in reads:
            work.put(partial(self._count, table_read))
            for place in range(len(table_read.conditions)):
                work.put(partial(self._read_range, table_read, place, watch, pace))
        with watch.watching(pace):
            sessions = self.snapshot.sessions
            with ThreadPoolExecutor(len(sessions), "cutline-mysql") as pool:
                ends = [pool.submit(_do, work, watch, session) for session in sessions]
            errors = [error for end in ends if (error := end.exception()) is not None]
        watch.check()
        if errors:
            raise errors[0]
        _LOG.info(
            "MySQL read",
            extra={
                "source": self.key.removeprefix("sources."),
                "rows": pace.rows,
                "bytes": pace.bytes,
                "chunks": sum(len(r.conditions) for r in reads),
            },
        )

    def _count(self, table_read: MysqlTableRead, session: MysqlSession) -> None:
        # One query over all of the table, which sends one row: the limit of the others is theirs.
        session.execute(statement_limit(session, self.limits.snapshot_seconds))
        total, others = session.row(
            table_read.count_sql(), doing=f"rows of {table_read.catalog.name} could not be counted"
        )
        session.execute(statement_limit(session, self.limits.statement_seconds))
        table_read.total_rows, table_read.rows_of_others = int(total), int(others)

    def _read_range(
        self,
        table_read: MysqlTableRead,
        place: int,
        watch: MysqlWatch,
        pace: ReadPace,
        session: MysqlSession,
    ) -> None:
        rows = 0
        doing = f"table {table_read.catalog.name} could not be read"
        with parquet_writer(table_read.folder_of(place), table_read.schema) as write:
            for batch in batches(session, table_read.range_sql(place), table_read.schema, doing):
                watch.check()
                write(batch)
                rows += batch.num_rows
                pace.after(batch.num_rows, batch.nbytes)
        watch.check()
        table_read.rows[place] = rows


def batches(
    session: MysqlSession, sql: str, schema: pa.Schema, doing: str
) -> Iterator[pa.RecordBatch]:
    """The answer to a query as Arrow, batch by batch: never more than a batch of it in memory."""
    from pymysql.cursors import SSCursor

    with contextlib.ExitStack() as ending:
        with session.reporting(doing):
            cursor: Any = ending.enter_context(contextlib.closing(SSCursor(session.connection)))
            cursor.execute(sql)
        while True:
            with session.reporting(doing):
                rows = cursor.fetchmany(_BATCH_ROWS)
            if not rows:
                return
            columns = zip(*rows, strict=True)
            arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
            yield pa.record_batch(arrays, schema)


def _do(work: queue.SimpleQueue[Work], watch: MysqlWatch, session: MysqlSession) -> None:
    """Does pieces of work with one session until there are none."""
    try:
        while not watch.stop.is_set():
            try:
                piece = work.get_nowait()
            except queue.Empty:
                return
            piece(session)
    except CutlineError as error:
        watch.refuse(error)
    except BaseException:
        watch.stop.set()
        raise
