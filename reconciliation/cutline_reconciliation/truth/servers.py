"""Sources whose truth is a database on a server: their queries run there, in its own SQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from pydantic import SecretStr

from cutline.control.address import server
from cutline.errors import ConfigurationError
from cutline.project.database_limits import DatabaseLimits
from cutline.project.postgres import PostgresLimits
from cutline.project.source import MysqlSource, PostgresSource, Source
from cutline.sources import (
    AskedDatabase,
    AskedMysql,
    asked_database,
    asked_mysql,
    is_mysql,
    mysql_address,
)
from cutline.sql import mysql, postgres
from cutline.sql.dialect import Dialect


@dataclass(frozen=True)
class ServerSource:
    """A source on a server: the database, and the schema that queries mean by the source's name."""

    name: str
    url: SecretStr
    shown: str
    schema: str
    limits: DatabaseLimits

    @classmethod
    def of(cls, name: str, section: Source, url: str) -> ServerSource:
        """The source at the URL of a database. ConfigurationError for one that is incomplete."""
        if is_mysql(url):
            address = mysql_address(url, f"sources.{name}.truth")
            limits = section.limits if isinstance(section, MysqlSource) else DatabaseLimits()
            return cls(name, SecretStr(url), address.shown, address.database, limits)
        where = server(url)
        if where is None:
            raise ConfigurationError(
                f"the truth of source {name} is at a PostgreSQL URL that is not complete",
                next_step="Write postgresql://user:${PASSWORD}@host:5432/database.",
            )
        if isinstance(section, PostgresSource):
            return cls(name, SecretStr(url), where.shown, section.schema_name, section.limits)
        return cls(name, SecretStr(url), where.shown, "public", PostgresLimits())

    @property
    def in_mysql(self) -> bool:
        """Whether it speaks MySQL's SQL, and not PostgreSQL's."""
        return is_mysql(self.url.get_secret_value())

    @property
    def dialect(self) -> Dialect:
        """The database's own SQL."""
        return mysql.DIALECT if self.in_mysql else postgres.DIALECT

    def is_in(self, sql: str) -> bool:
        """Whether the SQL speaks of a table of the source, as `source.table`."""
        return self.speaks_of(self.name, sql)

    def speaks_of(self, source: str, sql: str) -> bool:
        """Whether the SQL, in the database's own language, speaks of a table of some source."""
        return self.dialect.with_schema(sql, source, "x") != sql

    def in_schema(self, sql: str) -> str:
        """The SQL with the source's name replaced by its schema."""
        return self.dialect.with_schema(sql, self.name, self.dialect.quoted(self.schema))

    def in_region(self, sql: str, region: str) -> str:
        """The SQL with the region's name in it."""
        return self.dialect.with_region(sql, region)


@dataclass(frozen=True)
class Servers:
    """The open databases by the URL of their sources."""

    sources: Mapping[str, ServerSource] = field(default_factory=dict)
    databases: Mapping[str, AskedDatabase | AskedMysql] = field(default_factory=dict, repr=False)

    def database_of(
        self, sql: str, label: str, others: Sequence[str], region: str
    ) -> tuple[AskedDatabase | AskedMysql, str] | None:
        """The database that answers the query, and the query as it is put to it, with
        `:region` in it; null for a query that speaks of no source on a server.

        `others` are all sources. ConfigurationError for a query that speaks of sources of several
        databases, which none of them can answer.
        """
        mentioned = [source for source in self.sources.values() if source.is_in(sql)]
        if not mentioned:
            return None
        first = mentioned[0]
        beside = [n for n in others if n not in self.sources and first.speaks_of(n, sql)]
        if beside or len({source.url.get_secret_value() for source in mentioned}) > 1:
            names = ", ".join([*(source.name for source in mentioned), *beside])
            raise ConfigurationError(
                f"{label} asks for sources {names} together, which are not in one database",
                left_behind="The earlier stages are kept.",
                next_step="Give them one `truth` in cutline.yaml, such as a database with copies.",
            )
        for source in mentioned:
            sql = source.in_schema(sql)
        return self.databases[first.url.get_secret_value()], first.in_region(sql, region)


@contextlib.contextmanager
def open_servers(
    sources: Mapping[str, ServerSource], queries: Sequence[str], *, in_parts: bool = False
) -> Iterator[Servers]:
    """The databases of the sources, each as of one moment; with `in_parts` by as many connections
    as the limits of its source allow.
    """
    databases: dict[str, AskedDatabase | AskedMysql] = {}
    with contextlib.ExitStack() as opened:
        for source in sources.values():
            url = source.url.get_secret_value()
            if url not in databases:
                databases[url] = opened.enter_context(_open_server(source, queries, in_parts))
        yield Servers(sources, databases)


def _open_server(
    source: ServerSource, queries: Sequence[str], in_parts: bool
) -> AbstractContextManager[AskedDatabase | AskedMysql]:
    key = f"sources.{source.name}.truth"
    if not isinstance(source.limits, PostgresLimits):
        return asked_mysql(source.url, key, source.limits, queries)
    connections = source.limits.connections if in_parts else 1
    return asked_database(source.url, key, source.schema, source.limits, queries, connections)
