"""The database of a service: SQLite or PostgreSQL, through the engine that it uses itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, MetaData
from sqlalchemy.exc import DBAPIError

from cutline.consumer.database_errors import is_away
from cutline.consumer.errors import ConsumerError

Clock = Callable[[], dt.datetime]
_DIALECTS = ("sqlite", "postgresql")


def utc_now() -> dt.datetime:
    """The moment by this machine's clock."""
    return dt.datetime.now(dt.UTC)


class ServiceDatabase:
    """Transactions on the database of a service. ConsumerError for an engine of another kind."""

    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        if engine.dialect.name not in _DIALECTS:
            raise ConsumerError(
                f"the database is {engine.dialect.name}, which holds no inbox",
                left_behind="Nothing was written.",
                next_step="Keep it in SQLite or PostgreSQL.",
            )
        self._engine, self._clock = engine, clock
        self.dialect = engine.dialect.name

    def make_tables(self, metadata: MetaData) -> None:
        """Makes the tables that are not there, though another process may do so, too."""
        for attempt in range(len(metadata.tables) + 1):
            try:
                metadata.create_all(self._engine)
            except DBAPIError as error:
                # What was not there when it looked, another process has made since.
                if is_away(error) or attempt == len(metadata.tables):
                    raise
            else:
                return

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction: committed at the end, rolled back by whatever is raised.

        Its first statement must write, so that SQLite takes its lock at once.
        """
        with self._engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                # A row that was waited for is seen as it is then.
                connection.execution_options(isolation_level="READ COMMITTED")
            with connection.begin():
                yield connection

    def refuse_autocommit(self, connection: Connection) -> None:
        """ConsumerError where SQLite commits each statement by itself; within a transaction that
        has written."""
        of_driver = connection.connection.dbapi_connection
        if connection.dialect.name == "sqlite" and not getattr(of_driver, "in_transaction", True):
            raise ConsumerError(
                "the service's engine commits each statement by itself, so position and the "
                "handler's writes would not be one transaction",
                left_behind="Nothing was handled.",
                next_step="Make the engine without isolation_level='AUTOCOMMIT'.",
            )

    def now(self, seconds: float = 0.0) -> str:
        """The moment so many seconds from now, as tables have it."""
        return moment_text(self._clock() + dt.timedelta(seconds=seconds))


def moment_text(moment: dt.datetime) -> str:
    """A moment as an RFC 3339 text in UTC with microseconds."""
    utc = moment.astimezone(dt.UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='microseconds')}Z"
