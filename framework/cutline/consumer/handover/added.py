"""What an added handler may write: the fields and tables that are declared for it, and nothing.

Statements are made of names and plain values alone. A table that a service declares may have
defaults, other keys and another schema; an expression may read and write whatever there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    Connection,
    TableClause,
    and_,
    column,
    select,
    table,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from cutline.consumer.errors import ConsumerError
from cutline.consumer.received import Received


class WritableTable(TypedDict):
    """A table as an added handler may write it: the columns of its primary key, those that it may
    set, and whether it may make rows there."""

    key: Sequence[str]
    columns: Sequence[str]
    rows: bool


Writable = Mapping[str, WritableTable]
"""By table what an added handler may write."""


class Added:
    """The rows that an added handler writes, in the transaction of a record."""

    def __init__(self, connection: Connection, writable: Writable, record: Received) -> None:
        self._connection, self._writable, self._record = connection, writable, record
        self.without_row = 0

    def set(self, name: str, key: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Sets columns of the row of a table with this primary key; whether it is there.

        Of a table of which only fields are declared no row is made: one that is not there, since a
        later record ended it, stays away. In a table that is all the handler's own it is made.
        ConsumerError for a column or table that is not declared, for a key that is not the primary
        key, and for an expression in place of a value.
        """
        written, row = self._row(name, key)
        allowed = self._writable[name]
        for field, value in values.items():
            if field not in allowed["columns"]:
                raise self._mistake(
                    f"column {name}.{field} is not one that the added handler may write; these "
                    f"are: {', '.join(allowed['columns']) or 'none'}",
                )
            self._refuse_expression(name, field, value)
        if allowed["rows"]:
            self._upsert(written, allowed["key"], {**key, **values}, values)
            return True
        if not values:
            return self.get(name, key) is not None
        changed = self._connection.execute(update(written).where(row).values(**values))
        self.without_row += changed.rowcount == 0
        return changed.rowcount > 0

    def get(self, name: str, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the handler's columns of a row hold; null where there is no such row.

        Other columns are not to be had: they are as of the service's newest record.
        """
        written, row = self._row(name, key)
        columns = [written.c[field] for field in self._writable[name]["columns"]]
        rows = self._connection.execute(select(*columns).select_from(written).where(row))
        values = rows.mappings().first()
        return None if values is None else dict(values)

    def _row(self, name: str, key: Mapping[str, Any]) -> tuple[TableClause, ColumnElement[bool]]:
        """The table, and whether a row is that of the key."""
        if name not in self._writable:
            raise self._mistake(
                f"table {name} is not one that the added handler may write; these are: "
                f"{', '.join(self._writable)}",
            )
        allowed = self._writable[name]
        if sorted(key) != sorted(allowed["key"]):
            raise self._mistake(
                f"table {name}: {sorted(key)} is not its primary key {sorted(allowed['key'])}",
            )
        for field, value in key.items():
            self._refuse_expression(name, field, value)
        names = dict.fromkeys([*allowed["key"], *allowed["columns"]])
        written = table(name, *map(column, names))
        return written, and_(*(written.c[field] == value for field, value in key.items()))

    def _refuse_expression(self, name: str, field: str, value: Any) -> None:
        if isinstance(value, ClauseElement) or hasattr(value, "__clause_element__"):
            raise self._mistake(
                f"{name}.{field} is given an expression, which may read and write anything: give "
                "a value",
            )

    def _upsert(
        self,
        written: TableClause,
        key: Sequence[str],
        row: Mapping[str, Any],
        values: Mapping[str, Any],
    ) -> None:
        in_postgres = self._connection.dialect.name == "postgresql"
        insert: Any = (postgresql if in_postgres else sqlite).insert(written).values(**row)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=list(key), set_=dict(values))
            if values
            else insert.on_conflict_do_nothing()
        )

    def _mistake(self, what_failed: str) -> ConsumerError:
        record = self._record
        return ConsumerError(
            f"topic {record.topic}, partition {record.partition}, offset {record.offset}: "
            f"{what_failed}",
            left_behind="Nothing of the record was written.",
            next_step="Write it in the service's own handler; or declare it in cutline.yaml, and "
            "start a new handover.",
        )


AddedHandler = Callable[[Received, Added], None]
"""What is done with a record by the handler that came later."""
