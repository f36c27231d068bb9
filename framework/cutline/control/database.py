"""Transactions on a database that Cutline writes: SQLite in a file, or PostgreSQL."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    DatabaseError,
    DBAPIError,
    InterfaceError,
    InternalError,
    OperationalError,
)

from cutline.control.address import Address
from cutline.control.columns import UnreadableValue, dumps
from cutline.control.references import LostReference
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.logs import logger

_LOG = logger(__name__)

LOCK_SECONDS = 30
"""How long a transaction waits for another process's."""

_CONNECT_SECONDS = 10


_FULL = re.compile(
    "database or disk is full|disk I/O error|No space left on device|Disk quota exceeded"
)
"""What SQLite, PostgreSQL and the system say of a full disk; SQLite's second sentence says so too,
where the log beside its file cannot grow."""


def is_full(reason: str) -> bool:
    """Whether a database failed because its disk is full, which is mended by making room."""
    return _FULL.search(reason) is not None


class ControlFailed(RunFailed):
    """The control database could not be reached, read or written; `reason` is its own sentence."""

    def __init__(self, address: Address, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"The control database {address.shown} failed: {reason}",
            left_behind="Nothing of this step was recorded.",
            next_step="Make room on its disk, then run the same command again."
            if is_full(reason)
            else "Run the same command again when the database answers.",
        )


class Database:
    """The control database. Every transaction has a connection of its own, closed at its end.

    `called` is what errors call it. `lost` are references between its rows that led nowhere when it
    was opened; a server keeps its own whole.
    """

    called = "The control database"
    keeps_unreadable = True
    """Whether what a driver cannot read comes back as `UnreadableValue`, for who reads the row."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.postgres = address.file is None
        self.lost: tuple[LostReference, ...] = ()
        self._engine = self._made_engine()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end, rolled back by an error.

        On SQLite only one is open at a time, over all processes; on PostgreSQL, lock the rows.
        ControlFailed if the database cannot be reached or written.
        """
        with self._explained_errors(), self._engine.connect() as connection:
            connection.execution_options(begin="BEGIN IMMEDIATE")
            with connection.begin():
                if self.postgres:
                    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
                yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database throughout."""
        with self._explained_errors(), self._engine.connect() as connection:
            if self.postgres:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def now(self, connection: Connection) -> dt.datetime:
        """The moment by the database's clock, which all processes that use it share.

        SQLite has none of its own: there it is the clock of this host, where the file is.
        """
        if not self.postgres:
            return dt.datetime.now(dt.UTC)
        # Not now(): that is the start of the transaction, before it waited for a lock.
        moment: dt.datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return moment.astimezone(dt.UTC)

    def insert_if_missing(self, connection: Connection, table: Table, **values: Any) -> None:
        """Inserts a row unless one with its primary key exists, also in a race."""
        insert = postgresql.insert if self.postgres else sqlite.insert
        connection.execute(insert(table).values(**values).on_conflict_do_nothing())

    def use_write_ahead_log(self) -> None:
        """Lets readers of a SQLite file go on while one process writes."""
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            raw = self._engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite does not wait for a lock here, whatever the busy timeout.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
            finally:
                raw.close()
            _LOG.debug("control database locked, trying again")
            time.sleep(0.05)

    @contextmanager
    def _explained_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if (failure := self.failure(error)) is None:
                raise
            raise failure from None

    def failure(self, error: DBAPIError) -> CutlineError | None:
        """What an error of the database means to people; None for a mistake of our own."""
        # The others (integrity, programming, data) are our own mistakes.
        outside = isinstance(error, OperationalError | InterfaceError | InternalError)
        if not outside and type(error) is not DatabaseError:
            return None
        return ControlFailed(self.address, self.address.clean(str(error.orig)))

    def _made_engine(self) -> Engine:
        address = self.address
        if address.file is not None:
            engine = create_engine(
                address.url,
                poolclass=NullPool,
                json_serializer=dumps,
                hide_parameters=True,
                connect_args={"timeout": LOCK_SECONDS},
            )
            event.listen(engine, "connect", _set_up_sqlite)
            if self.keeps_unreadable:
                event.listen(engine, "connect", _keep_unreadable_text)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        timeout = (
            {} if "connect_timeout" in address.url.query else {"connect_timeout": _CONNECT_SECONDS}
        )
        try:
            engine = create_engine(
                address.url,
                poolclass=NullPool,
                json_serializer=dumps,
                hide_parameters=True,
                connect_args=timeout,
            )
            if self.keeps_unreadable:
                event.listen(engine, "connect", _keep_unreadable_moments)
            return engine
        except ImportError:
            raise ConfigurationError(
                f"{self.called} is PostgreSQL, and its driver is not installed.",
                next_step="pip install 'cutline[postgres]'",
            ) from None


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # Python's driver must not begin transactions itself: it would begin them as readers.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")


def _keep_unreadable_text(connection: Any, _: Any) -> None:
    def text_of(raw: bytes) -> Any:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return UnreadableValue(raw, "which is no UTF-8")

    connection.text_factory = text_of


def _keep_unreadable_moments(connection: Any, _: Any) -> None:
    """PostgreSQL has moments that Python has not: `infinity`, and those before Christ."""
    from psycopg import DataError
    from psycopg.types.datetime import TimestamptzLoader

    class Moments(TimestamptzLoader):
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except DataError:
                return UnreadableValue(bytes(data).decode(), "which is no time")

    connection.adapters.register_loader("timestamptz", Moments)


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    connection.exec_driver_sql(options.get("begin", "BEGIN"))
