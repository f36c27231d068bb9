"""SQLite files that are the same, byte for byte, for the same rows in the same order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import adbc_driver_sqlite.dbapi as adbc
import pyarrow as pa


def create(path: Path, ddl: str) -> None:
    """A new database with empty tables; an old file is deleted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(ddl)


class Loader:
    """Appends Arrow tables to the tables of one database, all in one transaction."""

    def __init__(self, connection: adbc.Connection) -> None:
        self._connection = connection

    def add(self, name: str, rows: pa.Table) -> None:
        """Append the rows to a table."""
        if rows.num_rows:
            with self._connection.cursor() as cursor:
                cursor.adbc_ingest(name, rows, mode="append")


@contextmanager
def loading(path: Path) -> Iterator[Loader]:
    """Bulk load: no journal, because a half-written file is written again from the start."""
    with closing(adbc.connect(str(path), autocommit=True)) as connection:
        with connection.cursor() as cursor:
            for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-200000"):
                cursor.execute(f"PRAGMA {pragma}").fetchall()
        connection.adbc_connection.set_autocommit(False)
        yield Loader(connection)
        connection.adbc_connection.commit()
