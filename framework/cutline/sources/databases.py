"""Sources that are databases on servers: each kind is looked at and opened in its own way."""

from __future__ import annotations

from pathlib import Path

from cutline.control.address import is_postgres
from cutline.project.source import DatabaseSource, MysqlSource, PostgresSource
from cutline.sources import mysql, postgres
from cutline.sources.opened_database import OpenedDatabase
from cutline.sources.used_tables import UsedSource, UsedTable


def is_database_url(text: str) -> bool:
    """Whether the text begins as the URL of a database that can be asked."""
    return is_postgres(text) or mysql.is_mysql(text)


def refuse_unreachable(url: str, key: str) -> None:
    """ConfigurationError, naming the key, if the database of a URL does not answer."""
    if mysql.is_mysql(url):
        mysql.refuse_unreachable_mysql(url, key)
    else:
        postgres.refuse_unreachable(url, key)


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
