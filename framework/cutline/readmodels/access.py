"""How tables of states are made, filled and read in a database, whatever database it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from cutline.readmodels.columns import ENDED, EVENT_ID, SUBJECT
from cutline.readmodels.model import ReadModelColumn
from cutline.sql.standard import quoted

EVENT_COLUMNS = (
    ReadModelColumn(name=EVENT_ID, type="string"),
    ReadModelColumn(name=ENDED, type="boolean"),
)
"""The columns that are there for live events, behind those of the states."""


@dataclass(frozen=True)
class Dependant:
    """Something within the database that reads a view, with the columns that it reads, by name."""

    name: str
    view: str
    columns: tuple[str, ...]


class Access(ABC):
    """The SQL of a database. All names are those of one schema."""

    subject_type: str
    """The type of the key, by which rows are in the order of its bytes."""
    false: str
    """SQL for false."""

    def create_table(
        self, connection: Connection, table: str, columns: Sequence[ReadModelColumn]
    ) -> None:
        """Make the table, without rows."""
        described = [f"{quoted(SUBJECT)} {self.subject_type} NOT NULL PRIMARY KEY"]
        described += [
            f"{quoted(c.name)} {self.column_type(c.type)}" for c in columns if c.name != SUBJECT
        ]
        described += [
            f"{quoted(EVENT_ID)} {self.column_type('string')}",
            f"{quoted(ENDED)} {self.column_type('boolean')} NOT NULL DEFAULT {self.false}",
        ]
        self.execute(connection, f"CREATE TABLE {quoted(table)} ({', '.join(described)})")

    def all_names(self, columns: Sequence[ReadModelColumn]) -> tuple[str, ...]:
        """The names of a table's columns, as `create_table` makes them."""
        return (SUBJECT, *(c.name for c in columns if c.name != SUBJECT), EVENT_ID, ENDED)

    def drop_table(self, connection: Connection, table: str) -> None:
        """Drop the table. An error where something depends on it."""
        self.execute(connection, f"DROP TABLE {quoted(table)}")

    def view_sql(self, table: str, columns: Sequence[ReadModelColumn]) -> str:
        """The query of a view that shows the rows of a table whose subjects have not ended."""
        names = ", ".join(quoted(c.name) for c in columns)
        return f"SELECT {names} FROM {quoted(table)} WHERE NOT {quoted(ENDED)}"  # noqa: S608

    def lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        first: bytes | None = None,
        end: bytes | None = None,
    ) -> Iterator[bytes]:
        """The lines of the rows, in the order of their subjects' bytes.

        Those from the subject `first` on and before `end`; None is no bound.
        """
        values = ", ".join(self.text_sql(c) for c in (*columns, *EVENT_COLUMNS))
        bounds = [
            f"{quoted(SUBJECT)} {sign} {self.text_literal(bound)}"
            for sign, bound in ((">=", first), ("<", end))
            if bound is not None
        ]
        where = f" WHERE {' AND '.join(bounds)}" if bounds else ""
        query = f"SELECT {values} FROM {quoted(table)}{where} ORDER BY {quoted(SUBJECT)}"  # noqa: S608
        return self.read_lines(connection, query)

    def event_lines(
        self, connection: Connection, table: str, columns: Sequence[ReadModelColumn]
    ) -> Iterator[bytes]:
        """The lines of the rows that name a live event, in no order."""
        values = ", ".join(self.text_sql(c) for c in (*columns, *EVENT_COLUMNS))
        query = f"SELECT {values} FROM {quoted(table)} WHERE {quoted(EVENT_ID)} IS NOT NULL"  # noqa: S608
        return self.read_lines(connection, query)

    def execute(self, connection: Connection, statement: str) -> None:
        """Run a statement in which nothing stands for a parameter."""
        connection.execution_options(no_parameters=True).exec_driver_sql(statement)

    @abstractmethod
    def column_type(self, type: str) -> str:
        """The type of a column whose Spark type is this."""

    @abstractmethod
    def text_sql(self, column: ReadModelColumn) -> str:
        """SQL for the text of a column's value, as it stands in a line before it is escaped."""

    @abstractmethod
    def text_literal(self, value: bytes) -> str:
        """SQL for a text of these bytes."""

    @abstractmethod
    def insert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        """Insert the rows of these lines."""

    @abstractmethod
    def upsert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        """Insert the rows of these lines, or put them in place of those of the same subjects."""

    def upsert_sql(self, table: str, columns: Sequence[ReadModelColumn], rows: str) -> str:
        """SQL that does so with `rows`, which is SQL for rows of all columns."""
        names = [quoted(c.name) for c in (*columns, *EVENT_COLUMNS)]
        others = ", ".join(f"{n} = excluded.{n}" for n in names if n != quoted(SUBJECT))
        return (
            f"INSERT INTO {quoted(table)} ({', '.join(names)}) {rows} "
            f"ON CONFLICT ({quoted(SUBJECT)}) DO UPDATE SET {others}"
        )

    @abstractmethod
    def read_lines(self, connection: Connection, query: str) -> Iterator[bytes]:
        """The lines of a query's answer, one after the other."""

    @abstractmethod
    def kind(self, connection: Connection, name: str) -> Literal["table", "view", "other"] | None:
        """What stands under a name in the schema; None for nothing."""

    @abstractmethod
    def column_names(self, connection: Connection, table: str) -> tuple[str, ...]:
        """The names of a table's columns, in order; none if it is not there."""

    @abstractmethod
    def definition(self, connection: Connection, view: str) -> str | None:
        """The SQL of a view as the database has it; None if there is no such view."""

    @abstractmethod
    def replace_view(self, connection: Connection, view: str, query: str) -> None:
        """Make the view, or let it show another query. Rights to read it stay as they are."""

    @abstractmethod
    def dependants(self, connection: Connection, view: str) -> list[Dependant]:
        """What reads a view within the database, as far as that keeps it."""

    def drop_view(self, connection: Connection, view: str) -> None:
        """Drop the view. An error where something depends on it."""
        self.execute(connection, f"DROP VIEW {quoted(view)}")
