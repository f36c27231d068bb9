"""Sources whose truth is a PostgreSQL database: their queries run there, in its own SQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import SecretStr

from cutline.control.address import server
from cutline.errors import ConfigurationError
from cutline.project.postgres import PostgresLimits
from cutline.project.source import PostgresSource, Source
from cutline.sources import AskedDatabase, asked_database
from cutline.sql.postgres import with_schema
from cutline.sql.standard import quoted


@dataclass(frozen=True)
class ServerSource:
    """A source on a server: the database, and the schema that queries mean by the source's name."""

    name: str
    url: SecretStr
    shown: str
    schema: str
    limits: PostgresLimits

    @classmethod
    def of(cls, name: str, section: Source, url: str) -> ServerSource:
        """The source at a PostgreSQL URL. ConfigurationError for one that is incomplete."""
        where = server(url)
        if where is None:
            raise ConfigurationError(
                f"the truth of source {name} is at a PostgreSQL URL that is not complete",
                next_step="Write postgresql://user:${PASSWORD}@host:5432/database.",
            )
        schema, limits = "public", PostgresLimits()
        if isinstance(section, PostgresSource):
            schema, limits = section.schema_name, section.limits
        return cls(name, SecretStr(url), where.shown, schema, limits)

    def is_in(self, sql: str) -> bool:
        """Whether the SQL speaks of a table of the source, as `source.table`."""
        return with_schema(sql, self.name, "x") != sql


@dataclass(frozen=True)
class Servers:
    """The open databases by the URL of their sources."""

    sources: Mapping[str, ServerSource] = field(default_factory=dict)
    databases: Mapping[str, AskedDatabase] = field(default_factory=dict, repr=False)

    def database_of(
        self, sql: str, label: str, others: Sequence[str]
    ) -> tuple[AskedDatabase, str] | None:
        """The database that answers the query, and the query as it is put to it, with
        `:region` in it; null for a query that speaks of no source on a server.

        `others` are all sources. ConfigurationError for a query that speaks of sources of several
        databases, which none of them can answer.
        """
        mentioned = [source for source in self.sources.values() if source.is_in(sql)]
        if not mentioned:
            return None
        beside = [n for n in others if n not in self.sources and with_schema(sql, n, "x") != sql]
        if beside or len({source.url.get_secret_value() for source in mentioned}) > 1:
            names = ", ".join([*(source.name for source in mentioned), *beside])
            raise ConfigurationError(
                f"the truth of {label} asks for sources {names} together, which are not in one "
                "database",
                left_behind="The earlier stages are kept.",
                next_step="Give them one `truth` in cutline.yaml, such as a database with copies.",
            )
        for source in mentioned:
            sql = with_schema(sql, source.name, quoted(source.schema))
        return self.databases[mentioned[0].url.get_secret_value()], sql


@contextlib.contextmanager
def open_servers(
    sources: Mapping[str, ServerSource], queries: Sequence[str], *, in_parts: bool = False
) -> Iterator[Servers]:
    """The databases of the sources, each as of one moment; with `in_parts` by as many connections
    as the limits of its source allow.
    """
    databases: dict[str, AskedDatabase] = {}
    with contextlib.ExitStack() as opened:
        for source in sources.values():
            url = source.url.get_secret_value()
            if url not in databases:
                key = f"sources.{source.name}.truth"
                connections = source.limits.connections if in_parts else 1
                database = asked_database(
                    source.url, key, source.schema, source.limits, queries, connections
                )
                databases[url] = opened.enter_context(database)
        yield Servers(sources, databases)
