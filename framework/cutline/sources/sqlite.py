"""SQLite databases, read as Arrow: all tables in one transaction, every value as text.

SQLite does not enforce column types, so nothing is assumed of them. A number is written with all
its digits: an integer as it is, a real in the shortest form of at most 17 digits that reads back as
the same number. Bytes (a blob) are no value of any contract type, and become a defect.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import adbc_driver_sqlite.dbapi as adbc
import pyarrow as pa
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.loaded import LoadedProject
from cutline.project.source import SqliteSource
from cutline.sources.files import local_path, open_file
from cutline.sources.inputs import TableInput
from cutline.sources.layouts import Layout, union_layouts
from cutline.sources.predicate import predicate_error
from cutline.sources.rows import RawRows
from cutline.sources.scratch import parquet_writer
from cutline.sources.shapes import COLUMN_NAMES, column_names_sql, refuse_no_shape
from cutline.sources.used_tables import UsedSource, UsedTable
from cutline.sql.spark import quoted as spark_name
from cutline.sql.standard import quoted

_REGION = re.compile(r":region\b")
_BATCH_ROWS = 20_000


def database_file(project: LoadedProject, source: str, section: SqliteSource) -> Path:
    """The database file. ConfigurationError, naming it, if it does not exist or is no SQLite
    database.
    """
    key = f"sources.{source}.path"
    path = local_path(project, section.path, key)
    with open_file(path, key) as handle:
        head = handle.read(16)
    if head and head != b"SQLite format 3\x00":
        raise ConfigurationError(f"{key}: {path} is not a SQLite database")
    return path


def column_names(path: Path, table: UsedTable, region: str) -> tuple[str, ...]:
    """The table's columns in the database; the contract's columns and the predicate are checked.

    ConfigurationError, naming the database, the table and the problem.
    """
    with _inspecting(path, table) as connection:
        tables = [n for (n,) in connection.execute("SELECT name FROM sqlite_master")]
        name = table.database_name
        if name.lower() not in [t.lower() for t in tables]:
            raise ConfigurationError(
                f"{path}: there is no table {name!r}.{did_you_mean(name, tables)}",
                next_step=f"Correct {table.config_key}.name, or the contract.",
            )
        present = tuple(r[1] for r in connection.execute(f"PRAGMA table_xinfo({quoted(name)})"))
        refuse_no_shape(table, [Layout([path], present)])
        if table.predicate is not None:
            _try_predicate(connection, table, region)
        return present


def read_tables(
    spark: SparkSession,
    path: Path,
    source: UsedSource,
    present: Mapping[str, tuple[str, ...]],
    region: str,
    scratch: str,
) -> dict[str, RawRows]:
    """The slice's rows of every used table, through scratch files, from one consistent state.

    `RawRows.frame` has the contract's columns as text; for a table with older shapes, the columns
    of every shape and COLUMN_NAMES. `present` gives the columns in the database, by table. Repeated
    keys are not searched where a primary key, or a unique index on exactly the key's columns, keeps
    them unique, also in the contract's types.
    """
    counts: dict[str, int] = {}
    row_counts: dict[str, tuple[int, int]] = {}
    try:
        with contextlib.closing(adbc.connect(_uri(path))) as connection:
            for table in source.tables:
                folder = f"{scratch}/{table.name}"
                names = _columns_to_read(table, present[table.name])
                counts[table.name] = _copy_table(connection, table, names, region, folder)
                row_counts[table.name] = _count_rows(connection, table, region)
    except adbc.Error as error:
        raise ConfigurationError(
            f"sources.{source.name}.path: {path} cannot be read: {error}",
            next_step="Check the database with `PRAGMA integrity_check`.",
        ) from error
    raws: dict[str, RawRows] = {}
    for table in source.tables:
        own_columns = present[table.name]
        texts = ", ".join(f"{spark_name(n)} string" for n in _columns_to_read(table, own_columns))
        frame = spark.read.schema(texts).parquet(f"{scratch}/{table.name}")
        if table.has_older:
            frame = union_layouts([frame], table.read_columns, table.config_key)
            frame = frame.selectExpr("*", f"{column_names_sql(own_columns)} AS {COLUMN_NAMES}")
        # A lift may bring two keys together, whatever the database keeps apart.
        again = None if not table.has_older and _keeps_unique(path, table) else frame
        count = partial(counts.__getitem__, table.name)
        where = f"sources.{source.name}.path: table {table.database_name!r} of {path}"
        total_rows, of_others = row_counts[table.name]
        left_out = partial(int, of_others) if table.predicate else None
        table_input = TableInput(where, total_rows, count, left_out)
        raws[table.name] = RawRows(frame, count, again, (table_input,))
    return raws


def _columns_to_read(table: UsedTable, present: tuple[str, ...]) -> list[str]:
    """The columns of any shape that the database has."""
    return [n for n in table.read_columns if n in present]


def _count_rows(connection: Any, table: UsedTable, region: str) -> tuple[int, int]:
    """The number of rows in a table, and of those in other slices, in the transaction that reads
    them.
    """
    others = f"(\n{table.predicate}\n) IS NOT TRUE" if table.predicate else "0"
    sql = f"SELECT count(*), count(*) FILTER (WHERE {others}) FROM {quoted(table.database_name)}"  # noqa: S608
    with contextlib.closing(connection.cursor()) as cursor:
        cursor.execute(sql, _parameters(table, region))
        total, left_out = cursor.fetchone()
        return int(total), int(left_out)


def _parameters(table: UsedTable, region: str) -> tuple[str, ...] | None:
    return (region,) if table.predicate and _REGION.search(table.predicate) else None


def _copy_table(
    connection: Any, table: UsedTable, names: list[str], region: str, folder: str
) -> int:
    """Write one table's rows of the slice to a scratch file; the number of rows."""
    schema = pa.schema([(n, pa.string()) for n in names])
    return stream_query(
        connection, _select(table, names), _parameters(table, region), schema, folder
    )


def stream_query(
    connection: Any, sql: str, bound: tuple[str, ...] | None, schema: pa.Schema, folder: str
) -> int:
    """Write the answer's rows but the first to Parquet files, batch by batch; the number written.

    The first row only shows the driver that every column is text.
    """
    rows = -1
    with contextlib.closing(connection.cursor()) as cursor, parquet_writer(folder, schema) as write:
        cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH_ROWS)})
        cursor.execute(sql, bound)
        for batch in cursor.fetch_record_batch():
            rows_only = batch.slice(1) if rows < 0 else batch
            rows += batch.num_rows
            write(pa.record_batch(rows_only.columns, schema))
    return rows


def _select(table: UsedTable, names: list[str]) -> str:
    blob = "CAST(x'FF' AS TEXT) || hex({})"
    texts = ", ".join(f"{text_sql(quoted(n), blob)} AS {quoted(n)}" for n in names)
    text_row = ", ".join(f"'' AS {quoted(n)}" for n in names)
    where = f" WHERE (\n{table.predicate}\n)" if table.predicate else ""
    return f"SELECT {text_row} UNION ALL SELECT {texts} FROM {quoted(table.database_name)}{where}"  # noqa: S608


def text_sql(column: str, blob: str) -> str:
    """SQL for a value as text, a number with all its digits; `blob` is the SQL for bytes, with {}
    in it.
    """
    return (
        f"CASE typeof({column}) WHEN 'text' THEN {column}"
        f" WHEN 'integer' THEN CAST({column} AS TEXT)"
        f" WHEN 'real' THEN CASE WHEN CAST(CAST({column} AS TEXT) AS REAL) = {column}"
        f" THEN CAST({column} AS TEXT) ELSE printf('%!.17g', {column}) END"
        f" WHEN 'blob' THEN {blob.format(column)} END"
    )


def _try_predicate(connection: sqlite3.Connection, table: UsedTable, region: str) -> None:
    """ConfigurationError for a predicate that is no condition, or uses anything but columns."""
    # Within two brackets, so that none is closed that was opened here.
    sql = f"EXPLAIN SELECT 1 FROM {quoted(table.database_name)} WHERE ((\n{table.predicate}\n))"  # noqa: S608
    refused: list[str] = []

    def allowed(action: int, first: str | None, second: str | None, *_: object) -> int:
        reason = _refusal(action, first, second)
        if reason is not None:
            refused.append(reason)
        return sqlite3.SQLITE_OK if reason is None else sqlite3.SQLITE_DENY

    connection.set_authorizer(allowed)
    try:
        connection.execute(sql, {"region": region})
    except sqlite3.Error as error:
        raise predicate_error(table, refused[0] if refused else str(error)) from error
    finally:
        connection.set_authorizer(None)


_ALLOWED_ACTIONS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
_NOT_OF_A_ROW = """
random randomblob zeroblob load_extension readfile writefile edit fts3_tokenizer
last_insert_rowid changes total_changes current_date current_time current_timestamp
sqlite_compileoption_get sqlite_compileoption_used sqlite_log sqlite_source_id sqlite_version
"""
_REFUSED_FUNCTIONS = frozenset(_NOT_OF_A_ROW.split())


def _refusal(action: int, first: str | None, second: str | None) -> str | None:
    """Why a condition may not do an action that SQLite reports; null if it may."""
    if action not in _ALLOWED_ACTIONS:
        return "it is more than a condition on rows"
    if action == sqlite3.SQLITE_FUNCTION and (second or "").casefold() in _REFUSED_FUNCTIONS:
        return f"the function {second} is none that a condition may ask"
    if action == sqlite3.SQLITE_READ and (first or "").casefold().startswith(
        ("sqlite_", "pragma_")
    ):
        return f"{first} is no table of this source"
    return None


def _keeps_unique(path: Path, table: UsedTable) -> bool:
    """Whether the database keeps the contract's key unique, also in the contract's types.

    Only for columns that SQLite itself converts to the contract's type: text, and integers. Others
    could hold two spellings of one value.
    """
    key = {c.lower() for c in table.contract.key()}
    with _inspecting(path, table) as connection:
        name = quoted(table.database_name)
        info = list(connection.execute(f"PRAGMA table_xinfo({name})"))
        kinds = {str(r[1]).lower(): str(r[2]).upper() for r in info}
        pairs = [(kinds.get(c.lower(), ""), table.columns[c]) for c in table.contract.key()]
        if not all(_same_kind(declared, ddl) for declared, ddl in pairs):
            return False
        if {str(r[1]).lower() for r in info if r[5]} == key:
            return True
        for index in connection.execute(f"PRAGMA index_list({name})").fetchall():
            partial, unique = index[4], index[2]
            inside = connection.execute(f"PRAGMA index_info({quoted(index[1])})").fetchall()
            if unique and not partial and {str(c[2]).lower() for c in inside} == key:
                return True
    return False


def _same_kind(declared: str, ddl: str) -> bool:
    if "INT" in declared:
        return ddl in ("tinyint", "smallint", "int", "bigint", "string")
    return ddl == "string" and any(word in declared for word in ("CHAR", "CLOB", "TEXT"))


@contextlib.contextmanager
def _inspecting(path: Path, table: UsedTable) -> Iterator[sqlite3.Connection]:
    try:
        with contextlib.closing(sqlite3.connect(_uri(path), uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise ConfigurationError(
            f"sources.{table.source}.path: {path} cannot be read: {error}",
            next_step="Check the database with `PRAGMA integrity_check`.",
        ) from error


def _uri(path: Path) -> str:
    # Read only: opening it otherwise could move the write-ahead log into the file.
    return f"{path.absolute().as_uri()}?mode=ro"
