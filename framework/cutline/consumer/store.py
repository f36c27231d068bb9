"""Transactions on the service's database, and the statements that each table needs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, and_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from cutline.consumer.database_errors import is_away
from cutline.consumer.errors import ConsumerError
from cutline.consumer.tables import METADATA

Clock = Callable[[], dt.datetime]
_DIALECTS = ("sqlite", "postgresql")


def utc_now() -> dt.datetime:
    """The moment by this machine's clock."""
    return dt.datetime.now(dt.UTC)


@dataclass(frozen=True)
class Owner:
    """Whose rows they are: a service, and the version of what it has built."""

    service: str
    version: str

    def rows(self, table: Table) -> ColumnElement[bool]:
        """Its rows of a table."""
        return and_(table.c.service == self.service, table.c.version == self.version)

    @property
    def columns(self) -> dict[str, str]:
        """What its rows have in the columns of their owner."""
        return {"service": self.service, "version": self.version}


class Store:
    """The database of a service: SQLite or PostgreSQL, through the engine that it uses itself."""

    def __init__(self, engine: Engine, owner: Owner, clock: Clock = utc_now) -> None:
        if engine.dialect.name not in _DIALECTS:
            raise ConsumerError(
                f"the database is {engine.dialect.name}, which holds no inbox",
                left_behind="Nothing was written.",
                next_step="Keep it in SQLite or PostgreSQL.",
            )
        self._engine, self.owner, self._clock = engine, owner, clock

    def make_tables(self) -> None:
        """Makes the tables that are not there, though another process may do so, too."""
        for attempt in range(len(METADATA.tables) + 1):
            try:
                METADATA.create_all(self._engine)
            except DBAPIError as error:
                # What was not there when it looked, another process has made since.
                if is_away(error) or attempt == len(METADATA.tables):
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


def storable(text: str) -> str:
    """A text as each database takes it: U+FFFD in place of NUL and of halves of surrogates."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\ufffd")


def insert_if_missing(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Inserts a row unless one with its key is there, also in a race; whether it was inserted."""
    # Without the option the number is there on SQLite only.
    counted = {"preserve_rowcount": True}
    if connection.dialect.name == "postgresql":
        in_postgres = postgresql.insert(table).values(**values).on_conflict_do_nothing()
        return connection.execute(in_postgres, execution_options=counted).rowcount > 0
    in_sqlite = sqlite.insert(table).values(**values).on_conflict_do_nothing()
    return connection.execute(in_sqlite, execution_options=counted).rowcount > 0


def upsert(
    connection: Connection,
    table: Table,
    values: Mapping[str, Any],
    column: str,
    change: Callable[[Any, Any], Any],
) -> None:
    """Inserts a row, or changes `column` of the one with its key: `change(column, inserted)`."""
    keys = list(table.primary_key.columns)
    if connection.dialect.name == "postgresql":
        in_postgres = postgresql.insert(table).values(**values)
        changed = {column: change(table.c[column], in_postgres.excluded[column])}
        connection.execute(in_postgres.on_conflict_do_update(index_elements=keys, set_=changed))
    else:
        in_sqlite = sqlite.insert(table).values(**values)
        changed = {column: change(table.c[column], in_sqlite.excluded[column])}
        connection.execute(in_sqlite.on_conflict_do_update(index_elements=keys, set_=changed))
