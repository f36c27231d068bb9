"""The rows of a service in its database, and the statements that each table needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, and_
from sqlalchemy.dialects import postgresql, sqlite

from cutline.consumer.database import Clock, ServiceDatabase, utc_now


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


class Store(ServiceDatabase):
    """The database of a service that reads as one version."""

    def __init__(self, engine: Engine, owner: Owner, clock: Clock = utc_now) -> None:
        super().__init__(engine, clock)
        self.owner = owner


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
