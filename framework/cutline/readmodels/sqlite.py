"""Tables of states in SQLite, which has integers and texts: all that is no integer is text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, text

from cutline.readmodels.access import EVENT_COLUMNS, Access, Dependant
from cutline.readmodels.lines import line_of, values_of
from cutline.readmodels.model import ReadModelColumn
from cutline.sql.standard import literal, quoted

_INTEGERS = frozenset({"bigint", "int", "smallint", "tinyint"})


class SqliteAccess(Access):
    """The SQL of SQLite."""

    subject_type = "TEXT"
    false = "0"

    def column_type(self, type: str) -> str:
        if type == "boolean":
            return "BOOLEAN"
        return "INTEGER" if type in _INTEGERS else "TEXT"

    def text_sql(self, column: ReadModelColumn) -> str:
        """A value of another type than was built, which SQLite lets everyone write, shows it."""
        name = quoted(column.name)
        kind = "text" if self.column_type(column.type) == "TEXT" else "integer"
        return (
            f"CASE typeof({name}) WHEN '{kind}' THEN CAST({name} AS TEXT) WHEN 'null' THEN NULL "
            f"ELSE char(0) || typeof({name}) || quote({name}) END"
        )

    def text_literal(self, value: bytes) -> str:
        return literal(value.decode())

    def insert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        """An integer comes as text, and is one by the type of its column."""
        names = ", ".join(quoted(c.name) for c in columns)
        marks = ", ".join("?" for _ in columns)
        statement = f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})"  # noqa: S608
        _driver(connection).executemany(statement, _rows(lines, len(columns)))

    def upsert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        number = len(columns) + len(EVENT_COLUMNS)
        statement = self.upsert_sql(table, columns, f"VALUES ({', '.join('?' * number)})")
        _driver(connection).executemany(statement, _rows(lines, number))

    def read_lines(self, connection: Connection, query: str) -> Iterator[bytes]:
        driver = _driver(connection)
        as_text = driver.text_factory
        # What is no UTF-8, which SQLite keeps as well, is read as it is.
        driver.text_factory = bytes
        try:
            for row in driver.execute(query):
                yield line_of(row)
        finally:
            driver.text_factory = as_text

    def kind(self, connection: Connection, name: str) -> Literal["table", "view", "other"] | None:
        query = text("SELECT type FROM sqlite_master WHERE lower(name) = lower(:name)")
        kind = connection.execute(query, {"name": name}).scalar()
        if kind is None or kind in ("table", "view"):
            return kind
        return "other"

    def column_names(self, connection: Connection, table: str) -> tuple[str, ...]:
        query = text("SELECT name FROM pragma_table_info(:table) ORDER BY cid")
        return tuple(connection.execute(query, {"table": table}).scalars())

    def definition(self, connection: Connection, view: str) -> str | None:
        query = text("SELECT sql FROM sqlite_master WHERE type = 'view' AND name = :view")
        return connection.execute(query, {"view": view}).scalar()

    def replace_view(self, connection: Connection, view: str, query: str) -> None:
        self.execute(connection, f"DROP VIEW IF EXISTS {quoted(view)}")
        self.execute(connection, f"CREATE VIEW {quoted(view)} AS {query}")

    def dependants(self, connection: Connection, view: str) -> list[Dependant]:  # noqa: ARG002
        """None: SQLite does not keep what a view reads."""
        return []


def _rows(lines: Sequence[bytes], number: int) -> Iterator[tuple[str | None, ...]]:
    """The first values of each line."""
    for line in lines:
        yield tuple(None if v is None else v.decode() for v in values_of(line)[:number])


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
