"""What an added handler may write: the fields and tables that are declared for it, and nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from cutline.consumer.errors import ConsumerError
from cutline.consumer.received import Received

Writable = Mapping[str, tuple[str, ...] | None]
"""By table the columns that an added handler may write; null for a table that is all its own."""


class Added:
    """The rows that an added handler writes, in the transaction of its record."""

    def __init__(self, connection: Connection, writable: Writable) -> None:
        self._connection, self._writable = connection, writable
        self.without_row = 0

    def set(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Sets columns of the row with this primary key; whether it is there.

        Of a table of which only fields are declared no row is made: one that is not there, since a
        later record ended it, stays away. In a table that is all the handler's own it is made.
        ConsumerError for a column or table that is not declared, and for a key that is not the
        primary key.
        """
        self._refuse(table, key, values)
        if self._writable[table.name] is None:
            self._upsert(table, key, values)
            return True
        changed = self._connection.execute(update(table).where(_row(table, key)).values(**values))
        self.without_row += changed.rowcount == 0
        return changed.rowcount > 0

    def get(self, table: Table, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the handler's columns of a row hold; null where there is no such row.

        Other columns are not to be had: they are as of the service's newest record.
        """
        fields = self._fields(table)
        self._refuse(table, key, {})
        columns = [column for column in table.columns if fields is None or column.name in fields]
        row = self._connection.execute(select(*columns).where(_row(table, key))).mappings().first()
        return None if row is None else dict(row)

    def _upsert(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        in_postgres = self._connection.dialect.name == "postgresql"
        insert: Any = (postgresql if in_postgres else sqlite).insert(table).values(**key, **values)
        columns = list(table.primary_key.columns)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=columns, set_=dict(values))
            if values
            else insert.on_conflict_do_nothing()
        )

    def _refuse(self, table: Table, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        fields = self._fields(table)
        primary = {column.name for column in table.primary_key.columns}
        if not primary or set(key) != primary:
            raise _mistake(
                f"table {table.name}: {sorted(key)} is not its primary key {sorted(primary)}",
                "Give each column of the primary key.",
            )
        of_key = sorted(primary & set(values))
        foreign = sorted(set(values) - set(fields if fields is not None else table.columns.keys()))
        if of_key or foreign:
            name = (of_key or foreign)[0]
            raise _mistake(
                f"column {table.name}.{name} is not one that the added handler may write; these "
                f"are: {', '.join(fields or sorted(set(table.columns.keys()) - primary))}",
                "Write it in the service's own handler, or declare it and start a new handover.",
            )

    def _fields(self, table: Table) -> tuple[str, ...] | None:
        if table.name not in self._writable:
            raise _mistake(
                f"table {table.name} is not one that the added handler may write; these are: "
                f"{', '.join(self._writable)}",
                "Write it in the service's own handler, or declare it and start a new handover.",
            )
        return self._writable[table.name]


AddedHandler = Callable[[Received, Added], None]
"""What is done with a record by the handler that came later."""


def _row(table: Table, key: Mapping[str, Any]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in key.items()))


def _mistake(what_failed: str, next_step: str) -> ConsumerError:
    return ConsumerError(
        what_failed, left_behind="Nothing of the record was written.", next_step=next_step
    )
