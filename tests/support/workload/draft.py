"""A transaction as it is written: each statement, and what it would leave if it is committed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from support.workload.tables import KEYS, Change, Key, Row, State, key_of


class Draft:
    """Rows of one writer; `state` is what they are, and `changes` what has become of them."""

    def __init__(self, connection: psycopg.Connection[Any], state: State) -> None:
        self._connection = connection
        self.state = dict(state)
        self.changes: list[Change] = []

    def insert(self, table: str, row: Row) -> None:
        columns = ", ".join(row)
        places = ", ".join(["%s"] * len(row))
        self._execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", row.values())
        self.state[key_of(table, row)] = row
        self.changes.append(Change(table, None, row))

    def update(self, key: Key, **values: Any) -> Key:
        """Changes one row, its key if the values say so; the key that it has now."""
        table, _ = key
        before = self.state.pop(key)
        after = before | values
        columns = ", ".join(f"{column} = %s" for column in values)
        self._execute(
            f"UPDATE {table} SET {columns} WHERE {_where(table)}", [*values.values(), *key[1]]
        )
        self.state[key_of(table, after)] = after
        self.changes.append(Change(table, before, after))
        return key_of(table, after)

    def delete(self, key: Key) -> None:
        table, values = key
        self._execute(f"DELETE FROM {table} WHERE {_where(table)}", values)
        self.changes.append(Change(table, self.state.pop(key), None))

    def take(self, sku: str, pieces: int) -> None:
        """Takes pieces from the stock, whoever else does: the last statement of a transaction."""
        row = self._connection.execute(
            "UPDATE stock SET pieces = pieces - %s WHERE sku = %s RETURNING pieces", (pieces, sku)
        ).fetchone()
        assert row is not None
        before, after = ({"sku": sku, "pieces": left} for left in (row[0] + pieces, row[0]))
        self.changes.append(Change("stock", before, after))

    @contextmanager
    def undone(self) -> Iterator[None]:
        """What is written within it is rolled back to a savepoint."""
        state, changes = dict(self.state), list(self.changes)
        self._connection.execute("SAVEPOINT before")
        yield
        self._connection.execute("ROLLBACK TO SAVEPOINT before")
        self.state, self.changes = state, changes

    def _execute(self, statement: str, values: Any) -> None:
        done = self._connection.execute(statement.encode(), list(values))
        if done.rowcount != 1:
            raise AssertionError(f"{statement}: {done.rowcount} rows, where one was expected")


def _where(table: str) -> str:
    return " AND ".join(f"{column} = %s" for column in KEYS[table])
