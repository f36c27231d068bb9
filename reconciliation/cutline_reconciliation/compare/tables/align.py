"""The alignment of two tables' types: a column without a type gets that of the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.spark.number_text import canonical_sql
from cutline.sql.spark import quoted
from cutline_reconciliation.compare.columns.marked import beside, quoted_text
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.values import value_text as text_of
from cutline_reconciliation.compare.tables.column_readings import (
    ColumnReading,
    SourceColumn,
    aligned_readings,
)
from cutline_reconciliation.compare.tables.fetched_table import FetchedTable, TableRows
from cutline_reconciliation.compare.tables.parse_value import quoted_bytes
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.text_columns import read_texts, text_column


@dataclass(frozen=True)
class AlignedSide:
    """One side with columns that can be compared."""

    frame: DataFrame
    columns: Mapping[str, SourceColumn]
    """The columns as the source declares them."""
    notes: tuple[str, ...]
    """Notes on how the side was read, for the reader of the result."""


@dataclass(frozen=True)
class ReadOptions:
    """How columns are read, by the left side's names.

    `pairs` are names on the right side of columns that differ in name. `local_left` and
    `local_right` are columns whose times have no zone on that side, and get one by a rule;
    `as_text` columns are compared as texts on both sides; in these three `*` is every column.
    `own_types` are columns that keep their types, for a rule makes something else of their values:
    those that the other side has, or their number, or a list of them. `ignored` columns, of either
    side, are not compared and keep their types as well.
    """

    key: Sequence[str]
    pairs: Mapping[str, str]
    local_left: frozenset[str] = frozenset()
    local_right: frozenset[str] = frozenset()
    own_types: frozenset[str] = frozenset()
    as_text: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()


def align_types(
    spark: SparkSession, left: FetchedTable, right: FetchedTable, options: ReadOptions, scratch: str
) -> tuple[AlignedSide, AlignedSide]:
    """Both sides with columns that can be compared; texts are read once, into `scratch`.

    ConfigurationError for a record that cannot be read, or a value that is none of its column's
    type; the message names each column, with a count and an example.
    """
    sides = left.rows(spark), right.rows(spark)
    _check_columns(options, sides[0], left.place)
    named_right = {r: n for n, r in options.pairs.items()}
    pairs = {n: options.pairs.get(n, n) for n in sides[0].columns}
    pairs = {n: r for n, r in pairs.items() if r == options.pairs.get(n) or r not in named_right}
    # A name is first the left side's own.
    ignored = options.ignored | {
        n for n, r in pairs.items() if r in options.ignored and r not in sides[0].columns
    }
    aligned = {n: r for n, r in pairs.items() if n not in options.own_types | ignored}
    readings = aligned_readings(sides[0].columns, sides[1].columns, aligned)
    left_names = {r: n for n, r in pairs.items()}
    own_names = {n: n for n in readings[0]}
    left_side = _side(sides[0], left.place, readings[0], own_names, options, f"{scratch}/left")
    right_side = _side(sides[1], right.place, readings[1], left_names, options, f"{scratch}/right")
    return left_side, right_side


def _check_columns(options: ReadOptions, left: TableRows, place: TablePlace) -> None:
    for name in options.as_text - {"*"}:
        if name not in left.columns:
            raise ConfigurationError(
                f"--as-text {name}: {place.shown} has no such column."
                + did_you_mean(name, left.columns),
                next_step=f"It has: {', '.join(left.columns)}.",
            )


def _side(
    rows: TableRows,
    place: TablePlace,
    readings: Mapping[str, ColumnReading],
    left_names: Mapping[str, str],
    options: ReadOptions,
    scratch: str,
) -> AlignedSide:
    """`left_names` says what the left side calls each column, for those that it has."""
    texts = {n for n in readings if "*" in options.as_text or left_names.get(n) in options.as_text}
    if not rows.texts:
        typed = [_typed(rows, n, r, n in texts).alias(n) for n, r in readings.items()]
        typed += [
            beside(_marked(rows, n), i, n, rows.columns[n].families)
            for i, (n, r) in enumerate(readings.items())
            if r.form == "marked" and n not in texts
        ]
        changed = texts or any(
            r.form != "value" or rows.columns[n].kind is None for n, r in readings.items()
        )
        return AlignedSide(
            rows.frame.select(*typed) if changed else rows.frame, rows.columns, rows.notes
        )
    zoneless = options.local_left if place.side == "left" else options.local_right
    local = {n for n in readings if "*" in zoneless or left_names.get(n) in zoneless}
    columns = []
    for name, reading in readings.items():
        if name in texts:
            chosen = ColumnReading(T.StringType())
        else:
            chosen = replace(reading, kind=_zoneless(reading.kind)) if name in local else reading
        exact = left_names.get(name) in options.key
        columns.append(text_column(rows, name, left_names.get(name, name), chosen, exact=exact))
    frame, lost_notes = read_texts(rows.frame, place, columns, scratch)
    return AlignedSide(frame, rows.columns, (*rows.notes, *lost_notes))


def _typed(rows: TableRows, name: str, reading: ColumnReading, as_text: bool) -> Column:
    """A typed column in the form in which it is compared."""
    kind = rows.frame.schema[name].dataType
    if as_text:
        return text_of(quoted_column(name), kind)
    if rows.columns[name].kind is None:
        return F.lit(None).cast(reading.kind)
    if reading.form in ("value", "marked"):
        return quoted_column(name)
    return F.expr(canonical_sql(f"CAST({quoted(name)} AS string)"))


def _marked(rows: TableRows, name: str) -> Column:
    """The marked text of each value of a typed column."""
    kind = rows.frame.schema[name].dataType
    text = text_of(quoted_column(name), kind)
    if isinstance(kind, T.StringType):
        return quoted_text(text)
    if isinstance(kind, T.BinaryType):
        return quoted_bytes(text)
    if not isinstance(kind, T.NumericType):
        return text
    return F.expr(canonical_sql(f"CAST({quoted(name)} AS string)"))


def _zoneless(kind: T.DataType) -> T.DataType:
    return T.TimestampNTZType() if isinstance(kind, T.TimestampType) else kind
