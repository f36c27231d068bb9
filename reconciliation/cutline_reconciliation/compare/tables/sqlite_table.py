"""SQLite: every value as text with all its digits, and the kinds of each column's values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import adbc_driver_manager
import adbc_driver_sqlite.dbapi as sqlite
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, RunFailed, did_you_mean
from cutline.sources import spark_path, sqlite_text_sql, stream_sqlite_query
from cutline.sql.standard import quoted
from cutline_reconciliation.compare.tables.column_readings import SourceColumn, ValueKind
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable, TableRows, check_names
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.value_digits import ValueDigits

_EXACT = 2**53
"""The largest whole number below which all are doubles as well."""
_AT_ONCE = 200
_AGAIN = re.compile(r"(.*):\d+")


def fetch(place: TablePlace, scratch: str) -> FetchedTable:
    """The answer as texts in `scratch`, read in one read-only transaction.

    ConfigurationError for a missing table or a query with an error; RunFailed if reading fails
    later.
    """
    uri = f"{place.files[0].absolute().as_uri()}?mode=ro"
    with sqlite.connect(uri, autocommit=True) as connection:
        try:
            connection.adbc_connection.set_autocommit(False)
            rows_from = _from(connection, place)
            names = _names(connection, place, rows_from)
            columns = _columns(connection, rows_from, names)
            marks = _marks(columns)
            schema = pa.schema([(n, pa.string()) for n in (*names, *_mark_names(marks))])
            stream_sqlite_query(connection, _select(names, marks, rows_from), None, schema, scratch)
            connection.rollback()
        except adbc_driver_manager.Error as error:
            raise RunFailed(
                f"{place.side}: {place.shown} cannot be read: {error}",
                next_step="Check the database with `PRAGMA integrity_check`.",
            ) from None
    ddl = T.StructType([T.StructField(n, T.StringType()) for n in schema.names])
    notes = tuple(
        f"{place.side}: column {c.name} holds {c.type_text}, and SQLite keeps them as they came"
        for c in columns.values()
        if c.kind is None and " and " in c.type_text
    )

    def rows(spark: SparkSession) -> TableRows:
        read = spark.read.schema(ddl).parquet(spark_path(scratch))
        frame = read.withColumns({n: F.col(n) == "1" for n in _mark_names(marks)})
        return TableRows(frame, columns, texts=True, marks=marks, notes=notes)

    return FetchedTable(place, place.files[0].stat().st_size, rows)


def _from(connection: Any, place: TablePlace) -> str:
    """The FROM clause."""
    if place.query is not None:
        return f"(\n{place.query}\n)"
    listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    tables = [row[0] for row in _query(connection, listed)]
    assert place.table is not None
    if place.table.lower() not in [t.lower() for t in tables]:
        raise ConfigurationError(
            f"{place.side}: {place.files[0]} has no table {place.table!r}."
            + did_you_mean(place.table, tables),
            next_step=f"It has: {', '.join(sorted(tables)[:20]) or 'no table at all'}.",
        )
    return quoted(place.table)


def _names(connection: Any, place: TablePlace, rows_from: str) -> list[str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {rows_from} LIMIT 0")  # noqa: S608
            names = [str(column[0]) for column in cursor.description or ()]
    except adbc_driver_manager.Error as error:
        raise ConfigurationError(
            f"{place.side}: {place.shown} cannot be asked: {error}",
            next_step=f"Mend --{place.side}-query." if place.query else "Look at the table.",
        ) from None
    # SQLite calls the second column of a name in a query `name:1`; a table may have such a column.
    again = [_AGAIN.fullmatch(n) if place.query else None for n in names]
    check_names(
        place, [m[1] if m and m[1] in names else n for n, m in zip(names, again, strict=True)]
    )
    return names


def _columns(connection: Any, rows_from: str, names: Sequence[str]) -> dict[str, SourceColumn]:
    columns: dict[str, SourceColumn] = {}
    for start in range(0, len(names), _AT_ONCE):
        batch = names[start : start + _AT_ONCE]
        counts = ", ".join(one for name in batch for one in _counts(quoted(name)))
        (row,) = _query(connection, f"SELECT {counts} FROM {rows_from}")  # noqa: S608
        width = len(row) // len(batch)
        for i, name in enumerate(batch):
            columns[name] = _column(name, row[i * width : (i + 1) * width])
        reals = [n for n in batch if isinstance(columns[n].kind, T.DoubleType)]
        for name, digits in _real_digits(connection, rows_from, reals).items():
            columns[name] = replace(columns[name], value_digits=digits)
    return columns


def _real_digits(connection: Any, rows_from: str, names: Sequence[str]) -> dict[str, ValueDigits]:
    """By column of integers and reals, the most digits of their texts."""
    if not names:
        return {}
    texts = [f"{sqlite_text_sql(quoted(n), '{}')} AS t{i}" for i, n in enumerate(names)]
    sizes = [f"abs(CAST({quoted(n)} AS REAL)) AS s{i}" for i, n in enumerate(names)]
    # The limit keeps SQLite from computing the texts anew wherever they are named.
    rows = f"SELECT {', '.join([*texts, *sizes])} FROM {rows_from} LIMIT -1"  # noqa: S608
    most = [f"max(s{i}), max({_fraction(f't{i}')})" for i in range(len(names))]
    (row,) = _query(connection, f"SELECT {', '.join(most)} FROM ({rows})")  # noqa: S608
    return {n: _value_digits(*row[2 * i : 2 * i + 2]) for i, n in enumerate(names)}


def _fraction(text: str) -> str:
    """SQL for how many digits the text of a number has behind the point, its exponent applied."""
    mantissa = f"substr({text}, 1, instr({text} || 'e', 'e') - 1)"
    exponent = f"CAST(substr({text}, instr({text} || 'e', 'e') + 1) AS INTEGER)"
    behind = f"rtrim(substr({mantissa}, instr({mantissa} || '.', '.') + 1), '0')"
    return f"max(length({behind}) - {exponent}, 0)"


def _value_digits(largest: float, fraction: int) -> ValueDigits:
    size = Decimal(repr(largest))
    if not size.is_finite():
        return ValueDigits(0, 0, endless=True)
    return ValueDigits(max(size.adjusted() + 1, 1), fraction, endless=False)


_FAMILIES: dict[str, ValueKind] = {
    "integers": "number", "reals": "number", "texts": "text", "bytes": "bytes",
}  # fmt: skip
_FORMS: frozenset[ValueKind] = frozenset({"number", "boolean", "text", "bytes"})
_MARKED: dict[ValueKind, str] = {"text": "text", "bytes": "blob"}
_Marks = Mapping[str, Mapping[ValueKind, str]]
_WORDS = {"integer": "integers", "real": "reals", "text": "texts", "blob": "bytes"}


def _counts(column: str) -> list[str]:
    whole = f"CASE WHEN typeof({column}) = 'integer' THEN {column} END"
    counts = [f"coalesce(sum(typeof({column}) = '{kind}'), 0)" for kind in _WORDS]
    return [*counts, f"coalesce(min({whole}), 0)", f"coalesce(max({whole}), 0)"]


def _column(name: str, counted: Sequence[int]) -> SourceColumn:
    counts = {word: n for word, n in zip(_WORDS.values(), counted, strict=False) if n}
    type_text = " and ".join(counts) or "null"
    exact = counted[-2] >= -_EXACT and counted[-1] <= _EXACT
    families = frozenset(_FAMILIES[word] for word in counts)
    kind = _kind(counts, exact)
    return SourceColumn(name, type_text, kind, False, families, without_booleans=True, forms=_FORMS)


def _kind(counts: Mapping[str, int], exact: bool) -> T.DataType | None:
    if set(counts) == {"integers"}:
        return T.LongType()
    if set(counts) == {"bytes"}:
        return T.BinaryType()
    if "reals" in counts and set(counts) <= {"integers", "reals"} and exact:
        return T.DoubleType()
    return None


def _marks(columns: Mapping[str, SourceColumn]) -> _Marks:
    """By column with values of several kinds, the marks of its texts and of its bytes."""
    mixed = [(n, c.families) for n, c in columns.items() if len(c.families) > 1]
    return {
        name: {kind: f"_cutline_{kind}{i}" for kind in _MARKED if kind in families}
        for i, (name, families) in enumerate(mixed)
    }


def _mark_names(marks: _Marks) -> list[str]:
    return [mark for of_column in marks.values() for mark in of_column.values()]


def _select(names: Sequence[str], marks: _Marks, rows_from: str) -> str:
    first = ", ".join(f"'' AS {quoted(n)}" for n in (*names, *_mark_names(marks)))
    texts = [f"{sqlite_text_sql(quoted(n), 'hex({})')} AS {quoted(n)}" for n in names]
    texts += [
        f"CAST(typeof({quoted(name)}) = '{_MARKED[kind]}' AS TEXT) AS {mark}"
        for name, of_column in marks.items()
        for kind, mark in of_column.items()
    ]
    return f"SELECT {first} UNION ALL SELECT {', '.join(texts)} FROM {rows_from}"  # noqa: S608


def _query(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
