"""The watch over a read: what it costs the database, shown, and the read stopped at a limit."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.logs import logger
from cutline.project.postgres import PostgresLimits
from cutline.sources.pace import ReadPace
from cutline.sources.postgres.database import PostgresDatabase, Session
from cutline.sources.postgres.held_snapshot import HeldSnapshot
from cutline.sources.read_stop import ReadStop, old_snapshot

_LOG = logger(__name__)

_SECONDS = 1.0
"""Between two looks."""
_SHOWN_SECONDS = 10.0
_MEGABYTE = 1_000_000
_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND %s = ANY (pg_blocking_pids(pid))"
_OLDEST = (
    "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8"
    " FROM pg_stat_activity WHERE state <> 'idle' AND backend_type = 'client backend'"
)
_SLOT = (
    "SELECT wal_status, pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery()"
    " THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn)::float8"
    " FROM pg_replication_slots WHERE slot_name = %s"
)


@dataclass
class SlotWatch:
    """The connector's slot: its name, its key in cutline.yaml, and a session that sees it."""

    name: str
    key: str
    session: Session
    megabytes: float = 0.0

    def look(self, limits: PostgresLimits) -> None:
        """ConfigurationError if the slot is not there or lost; RunFailed if it keeps too much."""
        row = self.session.execute(_SLOT, [self.name]).fetchone()
        shown = self.session.database.shown
        if row is None:
            raise ConfigurationError(
                f"{shown}: there is no replication slot {self.name!r}: what was committed since it "
                "went is in no change file",
                next_step=f"Start the connector that keeps it, or correct {self.key}.slot.",
            )
        status, size = row
        if status == "lost" or size is None:
            raise ConfigurationError(
                f"{shown}: replication slot {self.name!r} is lost: the server has removed log that "
                "the connector had not read",
                next_step="Drop the slot, start the connector anew with a new slot, and then run "
                "the same command.",
            )
        self.megabytes = size / _MEGABYTE
        if self.megabytes > limits.slot_wal_megabytes:
            raise RunFailed(
                f"{shown}: replication slot {self.name!r} keeps {self.megabytes:,.0f} MB of log, "
                f"more than {self.key}.limits.slot_wal_megabytes ({limits.slot_wal_megabytes:g})",
                next_step="See that its connector reads, and run the same command again.",
            )


@dataclass
class Watch(ReadStop):
    """The watch over one read, which it stops at a limit."""

    snapshot: HeldSnapshot
    limits: PostgresLimits
    key: str
    slot: SlotWatch | None = None
    cancel: list[Callable[[], object]] = field(default_factory=list)
    _waits_since: float | None = None
    _shown: float = 0.0

    @contextlib.contextmanager
    def watching(self, database: PostgresDatabase, pace: ReadPace) -> Iterator[None]:
        """Looks every second, in a thread and a session of its own, until the context ends."""
        session = database.session()
        ended = threading.Event()

        def looks() -> None:
            while not ended.wait(_SECONDS):
                try:
                    self.look(session, pace)
                except CutlineError as refusal:
                    if not ended.is_set():
                        self.refuse(refusal)
                    return

        thread = threading.Thread(target=looks, name="cutline-postgres-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            session.close()

    def refuse(self, refusal: CutlineError) -> None:
        """Stops the read, and what the server does for it at this moment."""
        super().refuse(refusal)
        self.cancel_all()

    def cancel_all(self) -> None:
        """Ends what the server does for the read at this moment."""
        for cancel in list(self.cancel):
            with contextlib.suppress(Exception):  # it may have ended by itself
                cancel()

    def look(self, session: Session, pace: ReadPace) -> None:
        """One look at everything: RunFailed or ConfigurationError at a limit."""
        now = time.monotonic()
        age = now - self.snapshot.opened
        shown = self.snapshot.session.database.shown
        if age > self.limits.snapshot_seconds:
            raise RunFailed(
                old_snapshot(shown, self.key, age, self.limits.snapshot_seconds),
                next_step="Run the same command again: parts that were read whole, and have not "
                "changed since, are not read twice. Or raise the limit.",
            )
        (waiting,) = session.row(_WAITING, [self.snapshot.process])
        self._waits_since = (self._waits_since or now) if waiting else None
        waited = now - (self._waits_since or now)
        if waited > self.limits.waiting_seconds:
            raise RunFailed(
                f"{shown}: another session has waited {waited:,.0f} seconds for a lock on "
                f"{', '.join(self.snapshot.locked)}, longer than {self.key}.limits.waiting_seconds "
                f"({self.limits.waiting_seconds:g}): a TRUNCATE or ALTER TABLE, and behind it all "
                "who use the table",
                next_step="Run the same command again when that session is done.",
            )
        if self.slot is not None:
            self.slot.look(self.limits)
        if now - self._shown > _SHOWN_SECONDS:
            self._shown = now
            (oldest,) = session.row(_OLDEST)
            _LOG.info(
                "reading PostgreSQL",
                extra={
                    "source": self.key.removeprefix("sources."),
                    "rows": pace.rows,
                    "megabytes": round(pace.bytes / _MEGABYTE, 1),
                    "snapshot_seconds": round(age, 1),
                    "longest_transaction_seconds": round(oldest, 1),
                    "sessions_waiting": waiting,
                    "slot_megabytes": None if self.slot is None else round(self.slot.megabytes, 1),
                },
            )
