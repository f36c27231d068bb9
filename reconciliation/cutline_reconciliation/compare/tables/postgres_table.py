"""PostgreSQL: one read-only transaction whose answer is copied as texts, batch by batch."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from cutline.control.address import cleaned
from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.sources import parquet_writer, spark_path
from cutline.sql.postgres import TEXT_SETTINGS
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable, check_names
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.postgres_types import PostgresColumn, column_of, rows_of

if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS = 10
_BLOCK = 32 << 20
"""Bytes of an answer that are parsed at once; no row may be longer."""


def fetch(place: TablePlace, scratch: str) -> FetchedTable:
    """The answer as texts in `scratch`, as of one moment.

    ConfigurationError for a server that cannot be reached, a missing table or a query with an
    error; RunFailed if it fails later.
    """
    with _connected(place) as connection:
        rows_from = _from(connection, place)
        columns = _describe(connection, place, rows_from)
        _copy(connection, place, columns, rows_from, scratch)
    schema = T.StructType([T.StructField(c.name, T.StringType()) for c in columns])
    size = sum(file.stat().st_size for file in Path(scratch).iterdir())

    def rows(spark: SparkSession) -> Any:
        return rows_of(spark.read.schema(schema).parquet(spark_path(scratch)), columns, place.side)

    return FetchedTable(place, size, rows)


@contextlib.contextmanager
def _connected(place: TablePlace) -> Iterator[psycopg.Connection[Any]]:
    try:
        import psycopg
    except ImportError:
        raise ConfigurationError(
            f"{place.side}: {place.shown} is PostgreSQL, and its driver is not installed",
            next_step="pip install 'cutline[postgres]'",
        ) from None
    assert place.server is not None
    url = place.server.url.set(drivername="postgresql")
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})
    try:
        connection = psycopg.connect(url.render_as_string(hide_password=False))
    except psycopg.Error as error:
        raise ConfigurationError(
            f"{place.side}: {place.server.shown} cannot be reached: {_message(place, error)}",
            next_step="Mend the URL, give the password in PGPASSWORD or ~/.pgpass, or start the "
            "server.",
        ) from None
    try:
        with connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            for setting in TEXT_SETTINGS:
                connection.execute(setting)
            yield connection
    except psycopg.Error as error:
        raise RunFailed(
            f"{place.side}: {place.shown} failed while it was read: {_message(place, error)}",
            next_step="Run the same command again when the server answers.",
        ) from None


def _from(connection: psycopg.Connection[Any], place: TablePlace) -> str:
    """The FROM clause: the query, or the table's name as the server quotes it."""
    if place.query is not None:
        return f"(\n{place.query}\n) AS asked"
    assert place.table is not None
    schema, _, name = place.table.rpartition(".")
    exact = (
        "SELECT format('%%I.%%I', n.nspname, c.relname) FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r','p','v','m','f')"
        " AND ((c.relname = %(name)s AND n.nspname = %(schema)s)"
        " OR (c.relname = %(whole)s AND pg_table_is_visible(c.oid)))"
    )
    parameters = {"name": name, "schema": schema, "whole": place.table}
    quoted_table = connection.execute(exact, parameters).fetchone()
    if quoted_table is None:
        listed = (
            "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END"
            " || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind IN ('r','p','v','m','f') AND n.nspname !~ '^(pg_|information_)'"
            " ORDER BY 1 LIMIT 1000"
        )
        tables = [row[0] for row in connection.execute(listed).fetchall()]
        raise ConfigurationError(
            f"{place.side}: {place.server.shown if place.server else ''} has no table "
            f"{place.table!r}.{did_you_mean(place.table, tables)}",
            next_step=f"It has: {', '.join(tables[:20]) or 'no table that this user can see'}.",
        )
    return str(quoted_table[0])


def _describe(
    connection: psycopg.Connection[Any], place: TablePlace, rows_from: str
) -> list[PostgresColumn]:
    import psycopg

    try:
        cursor = connection.execute(f"SELECT * FROM {rows_from} LIMIT 0".encode())  # noqa: S608
    except psycopg.Error as error:
        raise ConfigurationError(
            f"{place.side}: {place.shown} cannot be asked: {_message(place, error)}",
            next_step=f"Mend --{place.side}-query." if place.query else "Look at the table.",
        ) from None
    described = cursor.description or []
    check_names(place, [c.name for c in described])
    return [column_of(c, connection.adapters.types) for c in described]


def _copy(
    connection: psycopg.Connection[Any],
    place: TablePlace,
    columns: Sequence[PostgresColumn],
    rows_from: str,
    scratch: str,
) -> None:
    """Write the answer as Parquet files of texts; an empty value is quoted, a null is not."""
    names = [c.name for c in columns]
    schema = pa.schema([(n, pa.string()) for n in names])
    texts = ", ".join(c.as_text for c in columns)
    sql = f"COPY (SELECT {texts} FROM {rows_from}) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"  # noqa: S608
    with (
        parquet_writer(scratch, schema) as write,
        connection.cursor() as cursor,
        cursor.copy(sql.encode()) as copy,
    ):
        answer = io.BufferedReader(_CopyReader(copy), 1 << 20)
        if not answer.peek(1):
            return
        try:
            for batch in pyarrow.csv.open_csv(
                answer,
                pyarrow.csv.ReadOptions(column_names=names, block_size=_BLOCK),
                pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                pyarrow.csv.ConvertOptions(
                    column_types=schema,
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            ):
                write(batch)
        except pa.ArrowInvalid as error:
            raise RunFailed(
                f"{place.side}: {place.shown} has a row that cannot be read, such as one of more "
                f"than {_BLOCK >> 20} MiB: {error}",
                next_step=f"Leave its longest column out with --{place.side}-query.",
            ) from None


class _CopyReader(io.RawIOBase):
    """The bytes of a COPY as a file."""

    def __init__(self, copy: psycopg.Copy) -> None:
        self._blocks = iter(copy)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes, as many as there are and fit; 0 at the end."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _message(place: TablePlace, error: Exception) -> str:
    return cleaned(str(error), place.secrets)
