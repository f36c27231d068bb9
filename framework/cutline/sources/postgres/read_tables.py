"""All tables of a source, read in chunks by several connections under one snapshot."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from cutline.errors import CutlineError
from cutline.logs import logger
from cutline.project.postgres import PostgresLimits
from cutline.sources.pace import ReadPace
from cutline.sources.postgres.chunk_reader import ChunkReader, OddValues, chunk_schema
from cutline.sources.postgres.chunk_store import ChunkStore
from cutline.sources.postgres.database import ConnectionLost
from cutline.sources.postgres.held_snapshot import HeldSnapshot
from cutline.sources.postgres.table_read import TableRead, bounds_identity
from cutline.sources.postgres.unchanged import is_unchanged, may_be_kept
from cutline.sources.postgres.watch import SlotWatch, Watch

_LOG = logger(__name__)

_ATTEMPTS = 3
"""How often a piece of work is begun whose connection was lost, while the snapshot is still there.
"""

Work = Callable[[ChunkReader], None]


@dataclass(frozen=True)
class TablesReader:
    """What it takes to read tables: the snapshot, the limits, and where chunks are kept."""

    snapshot: HeldSnapshot
    limits: PostgresLimits
    key: str
    store: ChunkStore
    slot: SlotWatch | None = None

    def read(self, reads: Sequence[TableRead]) -> None:
        """Fills in the chunks and the counts of each table.

        Chunks that an earlier read left are taken where they are unchanged; all others of the store
        are removed. RunFailed if the server is gone, or at a limit; then chunks that are whole stay
        in the store.
        """
        watch = Watch(self.snapshot, self.limits, self.key, self.slot)
        pace = ReadPace(self.limits, watch.stop.wait)
        work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        for table_read in reads:
            work.put(partial(self._count, table_read))
            for place in range(len(table_read.plan.chunks)):
                work.put(partial(self._read_chunk, table_read, place))
        with watch.watching(self.snapshot.session.database, pace):
            threads = min(self.limits.connections, work.qsize())
            with ThreadPoolExecutor(threads, "cutline-postgres") as pool:
                ends = [pool.submit(self._work, work, watch, pace) for _ in range(threads)]
            errors = [error for end in ends if (error := end.exception()) is not None]
        watch.check()
        if errors:
            raise errors[0]
        folders = [c.folder for table_read in reads for c in table_read.chunks.values()]
        bounds = [self.store.path(bounds_identity(r.catalog, self.snapshot.moment)) for r in reads]
        self.store.remove(but=[*folders, *bounds])
        _LOG.info(
            "PostgreSQL read",
            extra={
                "source": self.key.removeprefix("sources."),
                "rows": pace.rows,
                "bytes": pace.bytes,
                "chunks": len(folders),
            },
        )

    def _work(self, work: queue.SimpleQueue[Work], watch: Watch, pace: ReadPace) -> None:
        """Does pieces of work until there are none, with one connection at a time."""
        reader: ChunkReader | None = None
        try:
            while not watch.stop.is_set():
                try:
                    piece = work.get_nowait()
                except queue.Empty:
                    return
                for attempt in range(1, _ATTEMPTS + 1):
                    try:
                        if reader is None:
                            connection = self.snapshot.connection()
                            reader = ChunkReader(connection, self.snapshot, watch, pace)
                        piece(reader)
                        break
                    except ConnectionLost:
                        if reader is not None:
                            reader.close()
                        reader = None
                        if attempt == _ATTEMPTS or watch.stop.is_set():
                            raise
                        _LOG.warning(
                            "connection lost", extra={"source": self.key, "attempt": attempt}
                        )
        except CutlineError as error:
            watch.refuse(error)
        except BaseException:
            watch.stop.set()
            raise
        finally:
            if reader is not None:
                reader.close()

    def _count(self, table_read: TableRead, reader: ChunkReader) -> None:
        # One query over all of the table, which sends one row: the limit of the others is theirs.
        with reader.statement_seconds(self.limits.snapshot_seconds):
            total, others = reader.numbers(table_read.count_sql())
        table_read.total_rows, table_read.rows_of_others = int(total), int(others)

    def _read_chunk(self, table_read: TableRead, place: int, reader: ChunkReader) -> None:
        chunk = table_read.plan.chunks[place]
        where, visible = table_read.where(chunk), self.snapshot.moment.visible
        identity = table_read.identity(chunk, self.snapshot.moment)
        stored = self.store.chunk(identity)
        if (
            stored is not None
            and may_be_kept(table_read)
            and is_unchanged(stored, chunk, where, visible, reader.numbers)
        ):
            with table_read.lock:
                table_read.chunks[place] = stored
                table_read.texts |= set(stored.texts)
            return
        with table_read.lock:
            texts = set(table_read.texts)
        while True:
            schema = chunk_schema(table_read.requests, texts)
            try:
                with self.store.writing(identity, schema) as write:
                    rows = reader.read(table_read.requests, chunk.relation, where, texts, write)
                break
            except OddValues as odd:
                texts |= odd.columns
                with table_read.lock:
                    table_read.texts |= odd.columns
        stored = self.store.complete(identity, rows, texts, visible)
        with table_read.lock:
            table_read.chunks[place] = stored
