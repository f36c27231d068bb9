"""The table that is repaired, and the table with what is staged beside it."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Row,
    Select,
    Table,
    and_,
    false,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy import types as sql_types
from sqlalchemy.exc import NoSuchTableError, SAWarning
from sqlalchemy.schema import DropTable

from cutline.project.repair import RepairOutput
from cutline.repair.database import RepairDatabase
from cutline.repair.request import refused
from cutline.repair.values import AsGiven, NoValue, RowSum, bound_type, plain_type, value_for
from cutline.repair.window_column import WindowColumn, form_of, pattern_of

_BATCH = 2_000
_NUMBERS = (sql_types.Numeric, sql_types.Float, sql_types.Integer, AsGiven)
RowValues = Mapping[str, Any]
"""A row: by column its value, as the database has it."""


@dataclass(frozen=True)
class OutputTable:
    """The table of a repair, as it is in its database.

    `columns` are those that are computed and compared, `window` how its beginning stands in one.
    `staged` has the same columns, and `replaced` all that can be written again.
    """

    database: RepairDatabase
    section: RepairOutput
    key: str
    live: Table
    columns: Sequence[str]
    window: WindowColumn
    staged: Table
    replaced: Table

    @property
    def value_columns(self) -> list[str]:
        """The compared columns that name no row."""
        return [n for n in self.columns if n not in (self.section.window, *self.section.key)]

    @property
    def label(self) -> str:
        """The table, for people."""
        return f"table {self.live.fullname} in {self.database.address.shown}"

    def within(self, table: Table, begin: dt.datetime, end: dt.datetime) -> ColumnElement[bool]:
        """Whether a row's window begins between two moments."""
        column = table.c[self.section.window]
        return and_(column >= self.window.value(begin), column < self.window.value(end))

    def rows(
        self, connection: Connection, table: Table, begin: dt.datetime, end: dt.datetime
    ) -> Iterator[RowValues]:
        """The compared columns of the rows between two moments."""
        query = select(*(table.c[name] for name in self.columns))
        return stream(connection, query.where(self.within(table, begin, end)))

    def counts(
        self, connection: Connection, table: Table, begin: dt.datetime, end: dt.datetime
    ) -> dict[dt.datetime, int]:
        """By window how many rows there are between two moments."""
        column = table.c[self.section.window]
        query = select(column, func.count()).where(self.within(table, begin, end)).group_by(column)
        return {self.window.moment(value): count for value, count in connection.execute(query)}

    def stage(self, rows: Iterable[RowValues]) -> RowSum:
        """Put computed rows, as Spark gives them, into a new table beside the table; their sums.

        ConfigurationError, naming the column, for a value that it cannot have.
        """
        with self.database.write() as connection:
            drop(connection, self.staged)
            create(connection, self.staged, self.live)
        kinds = {name: self.staged.c[name].type for name in self.columns}
        total, rows = RowSum(), iter(rows)
        while batch := list(islice(rows, _BATCH)):
            values = [{n: self.converted(n, kinds[n], row) for n in self.columns} for row in batch]
            for row in values:
                total.add(row)
            # Each batch by itself: where only one may write, the job is not kept waiting.
            with self.database.write() as connection:
                connection.execute(insert(self.staged), values)
        return total

    def converted(self, name: str, kind: sql_types.TypeEngine[Any], row: RowValues) -> Any:
        """A computed value as its column takes it."""
        value = row[name]
        if name in (self.section.window, *self.section.key) and value is None:
            raise refused(
                f"the query of {self.key} gives a row with null in {name}, which is to name it: "
                f"{dict(row)}",
                "Let the query give a value there, such as by coalesce.",
            )
        try:
            if name == self.section.window:
                return self.window.value(value)
            return value_for(value, kind)
        except NoValue as error:
            raise refused(
                f"column {name} of {self.label} cannot have what the query of {self.key} gives: "
                f"{error}",
                "Let the query give a value of the column's type, such as by cast.",
            ) from None


def opened_output(
    database: RepairDatabase, section: RepairOutput, name: str, key: str
) -> OutputTable:
    """The table of a repair. ConfigurationError for one that is not there, that lacks a declared
    column, or whose windows cannot be read."""
    with database.read() as connection, _quiet():
        live = _reflected(connection, section, key, sqlite=not database.postgres)
        declared = [section.window, *section.key, *section.ignored, *section.tolerance]
        for column in declared:
            if column not in live.c:
                raise refused(
                    f"{key}: table {section.table} has no column {column}; it has "
                    f"{', '.join(live.c.keys())}",
                    "Mend the name in cutline.yaml.",
                )
        names = [c.name for c in live.c]
        generated = [c.name for c in live.c if c.computed is not None or c.identity is not None]
        columns = [c for c in names if c not in (*section.ignored, *generated)]
        for column in section.tolerance:
            if not isinstance(live.c[column].type, _NUMBERS):
                raise refused(
                    f"{key}.tolerance: column {column} of table {section.table} has no numbers",
                    "Leave it out of cutline.yaml.",
                )
        window = _window(connection, live, section, key)
        _refuse_nulls(connection, live, section, key)
    metadata = MetaData(schema=live.schema)
    kinds = {c.name: bound_type(c.type) for c in live.c}
    staged = Table(f"cutline_staged_{name}", metadata, *(Column(c, kinds[c]) for c in columns))
    again = [c for c in names if c not in generated]
    replaced = Table(f"cutline_replaced_{name}", metadata, *(Column(c, kinds[c]) for c in again))
    return OutputTable(database, section, key, live, columns, window, staged, replaced)


def stream(connection: Connection, query: Select[Any]) -> Iterator[RowValues]:
    """The rows of a query, a batch at a time."""
    result = connection.execute(query, execution_options={"yield_per": _BATCH})
    for row in result:
        yield _values(row)


def create(connection: Connection, table: Table, source: Table) -> None:
    """Create a table with the columns that it has of another, of the types that the database itself
    has for them, and none of its constraints."""
    name = sql_name(connection, table)
    columns = select(*(source.c[c.name] for c in table.c)).where(false())
    connection.execute(text(f"CREATE TABLE {name} AS {columns.compile(connection)}"))


def drop(connection: Connection, table: Table) -> None:
    """Drop a table that may not be there."""
    connection.execute(DropTable(table, if_exists=True))


def _values(row: Row[Any]) -> RowValues:
    return dict(row._mapping)


@contextmanager
def _quiet() -> Iterator[None]:
    """Of a type that SQLAlchemy does not know the values are as the driver gives them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        yield


def _reflected(connection: Connection, section: RepairOutput, key: str, *, sqlite: bool) -> Table:
    schema = section.schema_name
    try:
        live = Table(section.table, MetaData(), schema=schema, autoload_with=connection)
    except NoSuchTableError:
        live = None
    names = inspect(connection).get_table_names(schema=schema)
    if live is None or section.table not in names:
        place = f" in schema {schema}" if schema else ""
        raise refused(
            f"{key}: there is no table {section.table}{place}",
            "Mend its name in cutline.yaml; a view cannot be repaired, the table below it can.",
        )
    if not sqlite:
        return live
    columns = [Column(c.name, plain_type(c.type), computed_of(c)) for c in live.c]
    return Table(section.table, MetaData(), *columns, schema=schema)


def computed_of(column: Column[Any]) -> Any:
    """What computes a column, to be given to another; null where nothing does."""
    return column.computed._copy() if column.computed is not None else None


def _window(connection: Connection, live: Table, section: RepairOutput, key: str) -> WindowColumn:
    column = live.c[section.window]
    form = form_of(column.type)
    if form is None:
        raise refused(
            f"{key}.window: column {column.name} is {column.type}, in which no window can stand",
            "Name a column of times, dates, whole numbers or texts.",
        )
    if form != "text":
        return WindowColumn(form)
    ends = connection.execute(select(func.min(column), func.max(column))).one()
    texts = [str(value) for value in ends if value is not None]
    pattern = pattern_of(texts)
    if pattern is None:
        raise refused(
            f"{key}.window: column {column.name} has texts such as {texts[0]!r} or "
            f"{texts[-1]!r}, which are no moments in UTC as Cutline writes them",
            "Windows are written such as 2026-11-01T06:00:00Z, 2026-11-01 06:00:00 or 2026-11-01, "
            "all of a table alike.",
        )
    written = WindowColumn("text", pattern)
    for row in stream(connection, select(column).where(column.is_not(None)).distinct()):
        if not written.has(str(row[column.name])):
            raise refused(
                f"{key}.window: column {column.name} has the text {row[column.name]!r} beside "
                f"{texts[0]!r}",
                "Windows of a table are written all alike: mend those that are not.",
            )
    return written


def _refuse_nulls(connection: Connection, live: Table, section: RepairOutput, key: str) -> None:
    for name in (section.window, *section.key):
        query = select(func.count()).select_from(live).where(live.c[name].is_(None))
        count = connection.execute(query).scalar_one()
        if count:
            raise refused(
                f"{key}: {count:,} rows of table {section.table} have no value in column {name}, "
                "which is to name them",
                "Give them one, or declare other columns as `key`.",
            )


def lock(connection: Connection, output: OutputTable) -> None:
    """Let nobody else write to the table until the transaction ends."""
    if output.database.postgres:
        name = sql_name(connection, output.live)
        connection.execute(text(f"LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE"))


def sql_name(connection: Connection, table: Table) -> str:
    """A table with its schema, as SQL has it."""
    return connection.dialect.identifier_preparer.format_table(table)
