"""Queries to a MariaDB or MySQL database, all answered as of one moment, each streamed as texts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from pydantic import SecretStr

from cutline.errors import ConfigurationError
from cutline.project.database_limits import DatabaseLimits
from cutline.sources.mysql.catalog import readable_tables, refuse_unreadable_tables
from cutline.sources.mysql.database import (
    MysqlDatabase,
    MysqlSession,
    reading_settings,
    statement_limit,
)
from cutline.sources.mysql.snapshot import one_session
from cutline.sources.mysql.table_reads import batches
from cutline.sources.mysql.watch import MysqlWatch
from cutline.sources.pace import ReadPace
from cutline.sources.used_tables import mentions
from cutline.sql.mysql import quoted
from cutline.sql.standard import without_semicolon

_FLOATS, _BIT = (4, 5), 16
"""What the protocol calls the types whose texts would bend."""


@dataclass(frozen=True)
class AskedMysql:
    """A database in one read-only transaction. `shown` is its URL without user and password."""

    shown: str
    session: MysqlSession
    watch: MysqlWatch

    def columns(self, sql: str, label: str) -> tuple[str, ...]:
        """The names of a query's columns. ConfigurationError for SQL that the server refuses."""
        return tuple(name for name, _ in self._described(sql, label))

    def texts(
        self, sql: str, columns: Iterable[str], label: str, by: str | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a query, every value as the server writes it, batch by batch.

        All rows come from one connection, also of a query that may be asked in parts `by` a column:
        its sessions could not be given the snapshot of this one.
        """
        del by
        kinds = dict(self._described(sql, label))
        values = ", ".join(_value_sql(name, kinds[name]) for name in columns)
        query = f"SELECT {values} FROM (\n{without_semicolon(sql)}\n) AS asked"  # noqa: S608
        schema = pa.schema([(name, pa.string()) for name in columns])
        for batch in batches(self.session, query, schema, f"{label} could not be read"):
            self.watch.check()
            yield batch
        self.watch.check()

    def _described(self, sql: str, label: str) -> list[tuple[str, int]]:
        import pymysql

        query = f"SELECT * FROM (\n{without_semicolon(sql)}\n) AS asked LIMIT 0"  # noqa: S608
        try:
            with self.session.connection.cursor() as cursor:
                cursor.execute(query)
                return [(str(name), int(kind)) for name, kind, *_ in cursor.description or ()]
        except (pymysql.Error, OSError) as error:
            database = self.session.database
            code = error.args[0] if error.args else 0
            # What MySQL counts among the errors of its operation begins at 2000 or is a right.
            if isinstance(error, OSError) or code >= 2000 or code in (1317, 1142, 1143):
                raise database.failure(f"{label} could not be asked", error) from None
            raise ConfigurationError(
                f"{label} cannot be asked of {self.shown}: {database.clean(str(error.args[-1]))}",
                left_behind="The earlier stages are kept.",
                next_step="Mend its SQL, which MySQL is to understand.",
            ) from None


def _value_sql(name: str, kind: int) -> str:
    column = quoted(name)
    if kind in _FLOATS:
        return f"CAST({column} AS DOUBLE) AS {column}"
    if kind == _BIT:
        return f"CAST({column} AS UNSIGNED) AS {column}"
    return column


@contextlib.contextmanager
def asked_mysql(
    url: SecretStr, key: str, limits: DatabaseLimits, queries: Iterable[str]
) -> Iterator[AskedMysql]:
    """The database at `url`, as of this moment, for as long as the context is open.

    The tables that the queries may mention cannot be truncated or altered meanwhile. A query may
    take as long as a snapshot may be open. ConfigurationError if the server does not answer, or a
    table is of an engine without snapshots; RunFailed if it is gone later.
    """
    database = MysqlDatabase.at(url, key)
    text = " ".join(queries)
    with contextlib.closing(database.session()) as session:
        session.execute(*reading_settings(session, limits))
        session.execute(statement_limit(session, limits.snapshot_seconds))
        engines = readable_tables(session)
        # The tables beneath a view are taken when it is asked for.
        tables = [n for n, engine in engines.items() if engine and mentions(text, n)]
        refuse_unreadable_tables(session, tables, key.rpartition(".")[0])
        snapshot = one_session(session, tables)
        watch = MysqlWatch(snapshot, limits, key.rpartition(".")[0])
        with watch.watching(ReadPace(limits, watch.stop.wait)):
            yield AskedMysql(database.shown, session, watch)
