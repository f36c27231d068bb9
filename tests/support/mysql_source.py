"""A MySQL source in a test: what was read as plain rows, and SQL on the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pymysql
from sqlalchemy import make_url

from cutline.project.source import MysqlSource
from cutline.sources.mysql import OpenedMysql, open_mysql
from cutline.sources.mysql.table_reads import MysqlTableRead
from support.database_source import DatabaseErp


class MysqlErp(DatabaseErp):
    """A source `erp` of one database, with the contracts that are read of it."""

    section, kind = MysqlSource, "mysql"

    def open(self) -> OpenedMysql:
        """The source with its snapshot taken."""
        return open_mysql(self.source)

    def read(self, opened: OpenedMysql | None = None) -> dict[str, MysqlTableRead]:
        """Every table, read under a snapshot of this moment unless one is given."""
        reads = (opened or self.open()).read(self.source.tables, "eu", str(self.folder / "read"))
        return {r.table.name: r for r in reads}


def mysql_rows(table_read: MysqlTableRead) -> list[dict[str, Any]]:
    """The rows of a table as its files have them, range by range."""
    return [
        row
        for place in range(len(table_read.conditions))
        for file in sorted(Path(table_read.folder_of(place)).glob("*.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]


def mysql_connection(url: str) -> pymysql.Connection[Any]:
    """A connection that commits each statement."""
    where = make_url(url)
    return pymysql.connect(
        host=where.host,
        port=where.port or 3306,
        user=where.username,
        password=str(where.password),
        database=where.database,
        charset="utf8mb4",
        autocommit=True,
    )


def run_mysql(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Runs statements, each committed by itself; the rows of the last."""
    with mysql_connection(url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())
