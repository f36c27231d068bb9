"""A PostgreSQL source in a test: contracts in a line, what was read as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
import pyarrow.dataset as ds
from pyspark.sql import types as T

from cutline.project.source import PostgresSource
from cutline.sources.postgres import OpenedSource, open_source
from cutline.sources.postgres.table_read import TableRead
from cutline.sql.postgres import TEXT_SETTINGS
from cutline.translator import SourceContract, column, table
from support.database_source import DatabaseErp

DELAY = "CREATE FUNCTION slowly(seconds float8) RETURNS boolean LANGUAGE sql AS 'SELECT true FROM pg_sleep(seconds)'"
"""A function that a predicate may ask, and that takes so many seconds for each row."""


def contract_of(
    name: str, columns: Mapping[str, Any], key: list[str], *, personal: tuple[str, ...] = ()
) -> type[SourceContract]:
    """A contract of a table of the source `erp`, with these columns."""
    return type(
        name.title(),
        (SourceContract,),
        {
            "__annotations__": dict(columns),
            **{n: column(doc=n, personal=n in personal) for n in columns},
            "Config": type("Config", (), {"metadata": table("erp", name, key=key)}),
        },
    )


TEXT = T.StringType


class Erp(DatabaseErp):
    """A source `erp` of one database, with the contracts that are read of it."""

    section, kind = PostgresSource, "postgresql"

    def open(self) -> OpenedSource:
        """The source with its snapshot taken."""
        return open_source(self.source)

    def read(self, opened: OpenedSource | None = None) -> dict[str, TableRead]:
        """Every table, read under a snapshot of this moment unless one is given."""
        reads = (opened or self.open()).read(self.source.tables, "eu", str(self.folder / "chunks"))
        return {r.table.name: r for r in reads}


def rows_of(table_read: TableRead) -> list[dict[str, Any]]:
    """The rows of a table as its files have them, chunk by chunk."""
    return [
        row
        for _, chunk in sorted(table_read.chunks.items())
        for row in ds.dataset(chunk.folder, format="parquet", exclude_invalid_files=True)
        .to_table()
        .to_pylist()
    ]


def run_sql(url: str, *statements: str) -> None:
    """Runs statements, each in a transaction of its own."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def answer(url: str, query: str) -> list[tuple[Any, ...]]:
    """The rows that a query gives, values as texts being those of the pinned settings."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in TEXT_SETTINGS:
            connection.execute(setting)
        return connection.execute(query.encode()).fetchall()
