"""A query to the legacy, written to a Parquet file batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import adbc_driver_manager
import pyarrow as pa
import pyarrow.parquet as pq

from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.lake.file_system import file_system
from cutline.sources import AskedDatabase, AskedMysql
from cutline.sql.standard import quoted, without_semicolon
from cutline_reconciliation.truth.legacy import LegacyConnection
from cutline_reconciliation.truth.marks import refuse_other_columns

SUBJECT, VALUE, REGION = "subject", "value", ":region"
_ROWS_A_BATCH = "65536"


@dataclass(frozen=True)
class Answer:
    """The legacy's answer to a query: a Parquet file of text columns."""

    path: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class LegacyQuestion:
    """A query that its database understands, and the columns of its answer.

    `label` names it in messages, such as "the truth of aggregate customer_order".
    """

    legacy: LegacyConnection
    label: str
    sql: str
    columns: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    server: AskedDatabase | AskedMysql | None = None

    def write_answer(self, path: str, by: str | None = None) -> Answer:
        """Write the answer to `path` as texts: numbers with all their digits, null as null.

        With `by`, one of its columns, a server may be asked in parts. RunFailed if the query fails,
        or a subject is null.
        """
        try:
            if self.server is None:
                rows = _stream(self.legacy, self.columns, self.sql, self.parameters, path)
            else:
                batches = self.server.texts(self.sql, self.columns, self.label, by)
                rows = _write(batches, self.columns, path)
        except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
            raise RunFailed(
                f"{self.label} failed while it was read from {self.legacy.described}: {error}",
                left_behind="The earlier stages are kept.",
                next_step="Mend the cause, then run the same command again.",
            ) from error
        if rows.without_subject:
            raise RunFailed(
                f"{self.label}, read from {self.legacy.described}, has "
                f"{rows.without_subject:,} rows without a subject",
                left_behind="The earlier stages are kept.",
                next_step="Leave them out in its SQL, or say there which subject they belong to.",
            )
        return Answer(path, self.columns, rows.read)


def question(
    legacy: LegacyConnection,
    label: str,
    sql: str,
    region: str,
    required: Sequence[str],
    optional: Sequence[str] | None = None,
) -> LegacyQuestion:
    """The query as its database understands it, which gives no row yet.

    `required` are columns that the answer must have. With `optional`, it may have these beside
    them, and no others. ConfigurationError for SQL that the database does not understand, or
    another answer.
    """
    on_server = legacy.servers.database_of(sql, label, tuple(legacy.places), region)
    if on_server is None:
        parameters = _parameters(legacy, label, sql, region)
        columns = _columns(legacy, label, sql, parameters)
        answerable = LegacyQuestion(legacy, label, sql, columns, parameters)
    else:
        database, server_sql = on_server
        columns = database.columns(server_sql, label)
        answerable = LegacyQuestion(legacy, label, server_sql, columns, server=database)
    for column in required:
        if column not in columns:
            raise ConfigurationError(
                f"{label} has no column {column!r}." + did_you_mean(column, columns),
                next_step=f"Its SQL returns: {', '.join(columns)}.",
            )
    if optional is not None:
        refuse_other_columns(
            label, columns, dict.fromkeys((*required, *optional)), "The earlier stages are kept."
        )
    return answerable


def write_answer(
    legacy: LegacyConnection,
    label: str,
    sql: str,
    region: str,
    path: str,
    required: Sequence[str],
    by: str | None = None,
    optional: Sequence[str] | None = None,
) -> Answer:
    """Write the answer to a query at once. Raises what `question` and its `write_answer` say; `by`
    is required, too."""
    columns = dict.fromkeys((*required, *([] if by is None else [by])))
    answerable = question(legacy, label, sql, region, tuple(columns), optional)
    return answerable.write_answer(path, by)


@dataclass
class _RowsRead:
    read: int = 0
    without_subject: int = 0


def _stream(
    legacy: LegacyConnection,
    columns: Sequence[str],
    sql: str,
    parameters: tuple[str, ...],
    path: str,
) -> _RowsRead:
    # The type that the driver guesses from the first rows need not hold for the later ones.
    texts = ", ".join(f"CAST({quoted(c)} AS TEXT) AS {quoted(c)}" for c in columns)
    statement = f"SELECT {texts} FROM (\n{without_semicolon(sql)}\n)"  # noqa: S608
    batches = {"adbc.sqlite.query.batch_rows": _ROWS_A_BATCH}
    with legacy.connection.cursor(adbc_stmt_kwargs=batches) as cursor:
        cursor.execute(statement, parameters or None)
        with cursor.fetch_record_batch() as reader:
            return _write(reader, columns, path)


def _write(batches: Iterable[pa.RecordBatch], columns: Sequence[str], path: str) -> _RowsRead:
    system, place = _place(path)
    rows = _RowsRead()
    # An answer without rows has no types; its columns are texts, too.
    schema = pa.schema([(column, pa.string()) for column in columns])
    with pq.ParquetWriter(place, schema, filesystem=system) as writer:
        for batch in batches:
            rows.read += batch.num_rows
            rows.without_subject += batch.column(SUBJECT).null_count
            writer.write_batch(batch.cast(schema))
    return rows


def _place(path: str) -> tuple[Any, str]:
    system, place = file_system(path)
    system.create_dir(place.rsplit("/", 1)[0], recursive=True)
    return system, place


def _parameters(legacy: LegacyConnection, label: str, sql: str, region: str) -> tuple[str, ...]:
    with _refusing_sql(legacy, label), legacy.connection.cursor() as cursor:
        names = [f.name for f in cursor.adbc_prepare(sql) or ()]
    for parameter in names:
        if parameter != REGION:
            shown = parameter if parameter.startswith((":", "@", "$")) else "?"
            raise ConfigurationError(
                f"{label} asks for {shown}, which nobody gives",
                next_step=f"The only parameter of its SQL is {REGION}.",
            )
    return (region,) if names else ()


def _columns(
    legacy: LegacyConnection, label: str, sql: str, parameters: tuple[str, ...]
) -> tuple[str, ...]:
    with _refusing_sql(legacy, label), legacy.connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM (\n{without_semicolon(sql)}\n) LIMIT 0", parameters or None)  # noqa: S608
        return tuple(str(column[0]) for column in cursor.description or ())


@contextlib.contextmanager
def _refusing_sql(legacy: LegacyConnection, label: str) -> Iterator[None]:
    try:
        yield
    except adbc_driver_manager.Error as error:
        raise ConfigurationError(
            f"{label} cannot be asked of {legacy.described}: {error}",
            left_behind="The earlier stages are kept.",
            next_step="Mend its SQL, or the sources' paths in cutline.yaml.",
        ) from error
