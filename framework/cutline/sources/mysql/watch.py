"""The watch over a read: what it costs the database, shown, and the read stopped at a limit."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from cutline.errors import CutlineError, RunFailed
from cutline.logs import logger
from cutline.project.database_limits import DatabaseLimits
from cutline.sources.mysql.database import MysqlSession
from cutline.sources.mysql.snapshot import MysqlSnapshot
from cutline.sources.pace import ReadPace
from cutline.sources.read_stop import ReadStop, old_snapshot
from cutline.sql.mysql import literal

_LOG = logger(__name__)

_SECONDS = 1.0
"""Between two looks."""
_SHOWN_SECONDS = 10.0
_MEGABYTE = 1_000_000


@dataclass
class MysqlWatch(ReadStop):
    """The watch over one read, which it stops at a limit."""

    snapshot: MysqlSnapshot
    limits: DatabaseLimits
    key: str
    _shown: float = 0.0

    @contextlib.contextmanager
    def watching(self, pace: ReadPace) -> Iterator[None]:
        """Looks every second, in a thread and a session of its own, until the context ends; when
        the read is stopped, the server ends what it does for it at that moment."""
        session = self.snapshot.database.session()
        ended = threading.Event()

        def looks() -> None:
            while not ended.is_set():
                if not self.stop.wait(_SECONDS):
                    try:
                        self.look(session, pace)
                    except CutlineError as refusal:
                        if not ended.is_set():
                            self.refuse(refusal)
                if self.stop.is_set():
                    for reading in self.snapshot.sessions:
                        with contextlib.suppress(CutlineError):
                            session.rows(f"KILL QUERY {reading.number}")
                    ended.wait(_SECONDS)

        thread = threading.Thread(target=looks, name="cutline-mysql-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            session.close()

    def look(self, session: MysqlSession, pace: ReadPace) -> None:
        """One look at everything: RunFailed at a limit."""
        now = time.monotonic()
        age, shown = now - self.snapshot.opened, session.database.shown
        if age > self.limits.snapshot_seconds:
            raise RunFailed(
                old_snapshot(shown, self.key, age, self.limits.snapshot_seconds),
                left_behind="No row of it was written to the lake.",
                next_step="Raise the limit, or lower what is read, and run the same command again.",
            )
        (waited,) = session.row(
            "SELECT COALESCE(MAX(time), 0) FROM information_schema.processlist"  # noqa: S608
            f" WHERE db = {literal(session.database.address.database)}"
            " AND state = 'Waiting for table metadata lock'"
        )
        if float(waited) > self.limits.waiting_seconds:
            raise RunFailed(
                f"{shown}: another session has waited {float(waited):,.0f} seconds for a table of "
                f"the database, longer than {self.key}.limits.waiting_seconds "
                f"({self.limits.waiting_seconds:g}): a TRUNCATE or ALTER TABLE, and behind it all "
                f"who use the table; this read holds {', '.join(self.snapshot.locked)}",
                left_behind="No row of it was written to the lake.",
                next_step="Run the same command again when that session is done.",
            )
        if now - self._shown > _SHOWN_SECONDS:
            self._shown = now
            _LOG.info(
                "reading MySQL",
                extra={
                    "source": self.key.removeprefix("sources."),
                    "rows": pace.rows,
                    "megabytes": round(pace.bytes / _MEGABYTE, 1),
                    "snapshot_seconds": round(age, 1),
                    "longest_wait_seconds": round(float(waited), 1),
                },
            )
