"""A snapshot of a database that stays open while its tables are read, by any number of sessions."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.postgres import PostgresLimits
from cutline.sources.postgres.database import (
    LockedOut,
    PostgresDatabase,
    Session,
    close_quietly,
    reading_settings,
)
from cutline.sources.postgres.moment import Moment
from cutline.sources.postgres.standby import visible_on_standby
from cutline.sql.standard import quoted

_PATIENCE = 0.2
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@dataclass
class HeldSnapshot:
    """An open snapshot: `name` is what other sessions import, `opened` when, by `time.monotonic`.

    Tables are locked in its transaction, so that a TRUNCATE, which no snapshot outlives, waits.
    """

    session: Session
    settings: tuple[str, ...]
    name: str
    moment: Moment
    locked: tuple[str, ...]
    connections: list[Any] = field(default_factory=list)
    """Connections that have imported it and locked the tables, and that nobody uses yet."""
    opened: float = field(default_factory=time.monotonic)

    def connection(self) -> Any:
        """A connection for Arrow that sees what the snapshot sees, and has locked its tables too.

        RunFailed if there is none any more, and the server does not give another.
        """
        with contextlib.suppress(IndexError):
            return self.connections.pop()
        return self._imported()

    def prepare(self, connections: int) -> None:
        """Has so many connections import the snapshot before anybody can stand between.

        Whoever waits for a table that the snapshot's own session has locked makes all later ones
        wait behind him, and then they would wait for each other. RunFailed if it is so already.
        """
        self.connections.extend(self._imported() for _ in range(connections))

    def close(self) -> None:
        """Ends the transaction and its locks; nothing happens if it has ended."""
        while self.connections:
            close_quietly(self.connections.pop())
        self.session.close()

    def _imported(self) -> Any:
        database = self.session.database
        connection = database.arrow_connection()
        try:
            for statement in (
                *self.settings,
                _BEGIN,
                f"SET TRANSACTION SNAPSHOT '{self.name}'",
                *(f"LOCK TABLE {table} IN ACCESS SHARE MODE NOWAIT" for table in self.locked),
            ):
                database.arrow_rows(connection, statement, "the snapshot could not be imported")
            # A connection without the import would see a later moment, and nothing would tell.
            query = "SELECT pg_current_snapshot()::text"
            ((mine,),) = database.arrow_rows(connection, query, "the snapshot could not be seen")
            (visible,) = self.session.row(query)
            if mine != visible:
                raise RunFailed(
                    f"{database.shown}: a connection sees {mine} instead of the snapshot "
                    f"{visible}: a pooler may have given it another session",
                    next_step="Connect to the server itself, without a pooler of transactions.",
                )
        except BaseException:
            close_quietly(connection)
            raise
        return connection

    @property
    def process(self) -> int:
        """The process of the server that keeps the snapshot."""
        return int(self.session.connection.info.backend_pid)


def hold_snapshot(
    database: PostgresDatabase,
    limits: PostgresLimits,
    schema: str,
    tables: Sequence[str],
    *,
    exact_point: bool,
    connections: int,
) -> HeldSnapshot:
    """Locks the tables, takes a snapshot of the database, and has `connections` import it.

    Where another session begins to wait for a lock in between, all of it is done again.

    With `exact_point` it is the one that a temporary slot exports, whose consistent point then is
    the moment's `lsn`: every transaction was committed before it and is seen, or neither. The slot
    is dropped at once.

    The tables must be there. ConfigurationError if the user may not lock one, or if the server
    cannot make a slot.
    """
    deadline = time.monotonic() + limits.waiting_seconds
    while True:
        snapshot = _taken_snapshot(database, limits, schema, tables, exact_point=exact_point)
        try:
            snapshot.prepare(connections)
            return snapshot
        except LockedOut:
            snapshot.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(_PATIENCE)
        except BaseException:
            snapshot.close()
            raise


def _taken_snapshot(
    database: PostgresDatabase,
    limits: PostgresLimits,
    schema: str,
    tables: Sequence[str],
    *,
    exact_point: bool,
) -> HeldSnapshot:
    settings = reading_settings(limits, schema)
    key = database.key.rpartition(".")[0]
    with ExitStack() as undo:
        session = database.session(settings)
        undo.callback(session.close)
        on_standby = bool(session.row("SELECT pg_is_in_recovery()")[0])
        if exact_point:
            if on_standby:
                raise ConfigurationError(
                    f"{database.key}: {database.shown} is a standby, which makes no slot, and "
                    "without one it tells no exact place in the log",
                    next_step=f"Leave {key}.replica out, or declare "
                    f"{key}.changes.snapshot.policy: transaction-visibility.",
                )
            point = _begin_at_a_slot(database, session, limits, settings, schema, tables)
            visible = None
        else:
            point, visible = None, None
            if on_standby:
                visible = visible_on_standby(
                    database, session, lambda: _begin(session, schema, tables)
                )
            else:
                _begin(session, schema, tables)
        moment = _moment(session, point, visible, on_standby=on_standby)
        (name,) = session.row("SELECT pg_export_snapshot()")
        undo.pop_all()
        locked = tuple(f"{quoted(schema)}.{quoted(table)}" for table in sorted(tables))
        return HeldSnapshot(session, settings, name, moment, locked)


def _begin(session: Session, schema: str, tables: Sequence[str]) -> None:
    """Begins the transaction with its locks. Its snapshot is that of the first query after them."""
    session.execute(_BEGIN)
    _lock(session, schema, tables)


def _lock(session: Session, schema: str, tables: Sequence[str]) -> None:
    for table in sorted(tables):
        session.execute(
            f"LOCK TABLE {quoted(schema)}.{quoted(table)} IN ACCESS SHARE MODE",
            doing=f"table {schema}.{table} could not be locked against a TRUNCATE",
        )


def _begin_at_a_slot(
    database: PostgresDatabase,
    session: Session,
    limits: PostgresLimits,
    settings: tuple[str, ...],
    schema: str,
    tables: Sequence[str],
) -> str:
    """Begins the transaction with the snapshot of a new slot; the slot's consistent point.

    The tables are locked by a session beside it before the slot is there: its snapshot is older
    than any lock that is taken under it.
    """
    with ExitStack() as undo:
        locks = database.session(settings)
        undo.callback(locks.close)
        locks.execute("BEGIN READ ONLY")
        _lock(locks, schema, tables)
        slots = _replication_session(database)
        undo.callback(slots.close)
        point, snapshot = _create_slot(slots, limits)
        session.execute(_BEGIN)
        session.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        _lock(session, schema, tables)
        return point


def _replication_session(database: PostgresDatabase) -> Session:
    try:
        return database.session(replication=True)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{error.what} (as a connection for replication, which the policy exported-snapshot "
            "asks for)",
            next_step="Give the user REPLICATION, or declare the policy transaction-visibility.",
        ) from None


def _create_slot(slots: Session, limits: PostgresLimits) -> tuple[str, str]:
    """The consistent point of a new temporary slot, and its exported snapshot.

    The server waits for every transaction that writes at that moment: RunFailed if that takes
    longer than another session may wait for a lock.
    """
    timer = threading.Timer(limits.waiting_seconds, slots.connection.cancel)
    timer.start()
    try:
        row = slots.row(
            f"CREATE_REPLICATION_SLOT {_slot_name()} TEMPORARY LOGICAL pgoutput"
            " (SNAPSHOT 'export')",
            doing="no slot could be made for the exported snapshot",
        )
    except RunFailed as error:
        if "due to user request" in error.what:
            raise RunFailed(
                f"{slots.database.shown}: no slot could be made for the exported snapshot in "
                f"{limits.waiting_seconds:g} seconds: a transaction that writes has been open for "
                "longer",
                next_step="Run the same command again when it has ended; see pg_stat_activity.",
            ) from None
        raise ConfigurationError(
            error.what,
            next_step="The server needs wal_level=logical, a free slot and a free WAL sender, the "
            "user REPLICATION; or declare the policy transaction-visibility.",
        ) from None
    finally:
        timer.cancel()
    return str(row[1]), str(row[2])


def _moment(
    session: Session, point: str | None, visible: str | None, *, on_standby: bool
) -> Moment:
    end = "pg_last_wal_replay_lsn()" if on_standby else "pg_current_wal_lsn()"
    seen_now, lsn, database = session.row(
        f"SELECT pg_current_snapshot()::text, {end}::text, current_database()"
    )
    allowed, _ = session.row(
        "SELECT has_function_privilege('pg_control_system()', 'execute')"
        " AND has_function_privilege('pg_control_checkpoint()', 'execute'), 1"
    )
    system, timeline = None, None
    if allowed:
        system, timeline = session.row(
            "SELECT s.system_identifier::text, c.timeline_id"
            " FROM pg_control_system() s, pg_control_checkpoint() c"
        )
    return Moment(system, database, timeline, point or lsn, visible or seen_now, point is not None)


def _slot_name() -> str:
    return "_".join(("cutline", uuid4().hex[:12]))
