"""Sources that are databases on servers: each kind is looked at and opened in its own way."""

from __future__ import annotations

from pathlib import Path

from cutline.project.source import DatabaseSource, MysqlSource, PostgresSource
from cutline.sources import mysql, postgres
from cutline.sources.opened_database import OpenedDatabase
from cutline.sources.used_tables import UsedSource, UsedTable


def open_database(source: UsedSource) -> OpenedDatabase:
    """Takes the snapshot of a source: everything that is read of it is of this moment.

    ConfigurationError if the server does not answer, refuses the user, or lacks a table.
    """
    if isinstance(source.section, MysqlSource):
        return mysql.open_mysql(source)
    return postgres.open_source(source)


def database_columns(
    section: DatabaseSource, name: str, table: UsedTable, region: str
) -> tuple[Path, tuple[str, ...]]:
    """Where the table of a source is, and its columns as the database has them now.

    ConfigurationError for a table that is not there or that the user may not read, for columns that
    are none of the contract's shapes, and for a predicate that is none.
    """
    if isinstance(section, MysqlSource):
        return mysql.mysql_columns(section, name, table, region)
    assert isinstance(section, PostgresSource)
    return postgres.table_columns(section, name, table, region)
