"""One snapshot of a database in several sessions, which cannot import one another's.

The tables are locked for reading while each session takes a snapshot of its own: nobody can write
to them in between, and a transaction that had written to them has ended before. So all of them
show the same rows of these tables, and the place in the binary log at that moment is theirs.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from cutline.errors import CutlineError
from cutline.project.database_limits import DatabaseLimits
from cutline.sources.mysql.database import (
    MysqlDatabase,
    MysqlSession,
    TableLocked,
    reading_settings,
)
from cutline.sources.mysql.moment import MysqlMoment
from cutline.sql.mysql import quoted

_PAUSE = 0.3
_BEGIN = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"


@dataclass
class MysqlSnapshot:
    """Sessions that see the tables as of one moment; `opened` is when, by `time.monotonic`.

    Each has touched every table, which keeps anybody from altering or truncating one.
    """

    sessions: list[MysqlSession]
    moment: MysqlMoment
    locked: tuple[str, ...]
    opened: float = field(default_factory=time.monotonic)

    @property
    def database(self) -> MysqlDatabase:
        """The database that is read."""
        return self.sessions[0].database

    def close(self) -> None:
        """Ends all of them; nothing happens if they have ended."""
        for session in self.sessions:
            session.close()


def take_snapshot(
    database: MysqlDatabase, limits: DatabaseLimits, tables: Sequence[str], connections: int
) -> MysqlSnapshot:
    """The snapshot, with as many sessions. The tables must be there.

    An attempt waits a second for the lock at most, since whoever wants to write waits behind it,
    and is made again for `limits.waiting_seconds`. RunFailed after that; ConfigurationError if the
    user may not lock a table.
    """
    deadline = time.monotonic() + limits.waiting_seconds
    with contextlib.ExitStack() as undo:
        keeper = database.session()
        undo.callback(keeper.close)
        keeper.execute(*reading_settings(keeper, limits))
        while True:
            with contextlib.ExitStack() as attempt:
                sessions = []
                for _ in range(connections):
                    session = database.session()
                    attempt.callback(session.close)
                    session.execute(*reading_settings(session, limits))
                    sessions.append(session)
                try:
                    moment = _begin_together(keeper, sessions, tables)
                except TableLocked:
                    if time.monotonic() > deadline:
                        raise
                else:
                    attempt.pop_all()
                    return MysqlSnapshot(sessions, moment, tuple(tables))
            time.sleep(_PAUSE)


def one_session(session: MysqlSession, tables: Sequence[str]) -> MysqlSnapshot:
    """The snapshot of a session alone, which needs no lock."""
    place = _begun(session, tables)
    at, server, database = session.row("SELECT UTC_TIMESTAMP(6), @@server_id, DATABASE()")
    log = None if place is None else f"{place[0]}:{place[1]}"
    moment = MysqlMoment(str(server), str(database), log, str(at))
    return MysqlSnapshot([session], moment, tuple(tables))


def _begin_together(
    keeper: MysqlSession, sessions: Sequence[MysqlSession], tables: Sequence[str]
) -> MysqlMoment:
    locks = ", ".join(f"{quoted(table)} READ" for table in sorted(tables))
    doing = f"tables {', '.join(sorted(tables))} could not be locked for the snapshot"
    keeper.rows(f"LOCK TABLES {locks}", doing=doing)
    try:
        places = [_begun(session, tables) for session in sessions]
        at, server, database = keeper.row("SELECT UTC_TIMESTAMP(6), @@server_id, DATABASE()")
        # Where they differ, others have written in between, and nothing to these tables.
        place = max((p for p in places if p is not None), default=None) or log_end(keeper)
    finally:
        keeper.rows("UNLOCK TABLES")
    log = None if place is None else f"{place[0]}:{place[1]}"
    return MysqlMoment(str(server), str(database), log, str(at))


def _begun(session: MysqlSession, tables: Sequence[str]) -> tuple[str, int] | None:
    """Begins the session's transaction and touches the tables; the place in the binary log of its
    snapshot, which only MariaDB tells."""
    session.rows(_BEGIN, doing="a snapshot could not be taken")
    for table in tables:
        session.rows(
            f"SELECT 1 FROM {quoted(table)} LIMIT 0",  # noqa: S608
            doing=f"table {table} could not be read",
        )
    status = dict(session.rows("SHOW STATUS LIKE 'binlog_snapshot_%'"))
    file = status.get("Binlog_snapshot_file")
    if not file:
        return None
    return str(file), int(status["Binlog_snapshot_position"])


def log_end(session: MysqlSession) -> tuple[str, int] | None:
    """Where the binary log ends now: file and byte; null where there is none, or the user may not
    see it."""
    # Each is what some version calls it.
    for query in ("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS"):
        with contextlib.suppress(CutlineError):
            rows = session.rows(query)
            return (str(rows[0][0]), int(rows[0][1])) if rows else None
    return None
