"""Columns of texts parsed into the types of the comparison, in one pass that counts failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.sources import spark_path
from cutline.spark import json_text
from cutline.spark.number_text import canonical_sql
from cutline.spark.observed import count_where
from cutline.sql.spark import let, quoted
from cutline_reconciliation.compare.columns.marked import beside, marked_columns, quoted_text
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.numbers import digits
from cutline_reconciliation.compare.columns.parse_texts import comparable_type
from cutline_reconciliation.compare.tables.column_readings import ColumnReading, ValueKind
from cutline_reconciliation.compare.tables.fetched_table import BROKEN, TableRows
from cutline_reconciliation.compare.tables.parse_value import (
    loses_spelling,
    number_text,
    parse_value,
    quoted_bytes,
)
from cutline_reconciliation.compare.tables.place import TablePlace
from cutline_reconciliation.compare.tables.records import broken_records_error

_SHOWN = 60
_FRACTION = r"\.(\d*[1-9])"
_MOST_NAMED = 5
_WRITTEN_OTHERWISE = (
    T.TimestampType, T.TimestampNTZType, T.BinaryType, T.FractionalType, T.StructType, T.MapType,
    T.ArrayType,
)  # fmt: skip
"""Types whose canonical texts differ from usual spellings: 5.0 for 5, times with microseconds."""


@dataclass(frozen=True)
class TextColumn:
    """A column of texts, and its parsing."""

    name: str
    left_name: str
    """Its name on the left side."""
    kind: T.DataType
    wide: T.DataType
    """The type of `value`.

    For numbers it has room for more digits than `kind`, and is kept only where they are needed:
    half a cent is a difference, and no defect.
    """
    kind_name: str
    """The kind of its values in messages."""
    value: Column
    """The value; null for null and for a text that cannot be read."""
    loses_spelling: Column | None
    """Whether the value loses the text's spelling; null where that does not matter."""
    marked: Column | None
    """The value as a marked text; null where the column's values are of one kind."""
    kinds: frozenset[ValueKind]
    """The kinds of its values."""


def text_column(
    rows: TableRows, name: str, left_name: str, reading: ColumnReading, *, exact: bool
) -> TextColumn:
    """A text column of `rows`; `exact` numbers, as in a key, get no room for more digits."""
    wide = reading.kind if exact else comparable_type(reading.kind)
    lost = None
    if not rows.columns[name].families:
        # The canonical text of a number beyond every type is a number, too.
        lost = loses_spelling(name, T.LongType() if reading.form == "number" else reading.kind)
    return TextColumn(
        name,
        left_name,
        reading.kind,
        wide,
        "number" if reading.form == "number" else reading.kind.simpleString(),
        _value(name, wide, reading),
        lost,
        _marked(rows, name) if reading.form == "marked" else None,
        rows.columns[name].families,
    )


def _value(name: str, kind: T.DataType, reading: ColumnReading) -> Column:
    if reading.form == "number":
        return number_text(name)
    return _canonical_json(name) if reading.form == "json" else parse_value(name, kind)


def _marked(rows: TableRows, name: str) -> Column:
    """Each value in a text that says of which kind it is."""
    kinds, marks = rows.columns[name].families, rows.marks.get(name, {})

    def is_of(kind: ValueKind) -> Column:
        return quoted_column(marks[kind]) if kind in marks else F.lit(kinds == {kind})

    canonical = _canonical_json(name) if "nested" in kinds else F.expr(canonical_sql(quoted(name)))
    if "bytes" in kinds:
        in_digits = quoted_bytes(quoted_column(name))
        canonical = F.when(is_of("bytes"), in_digits).otherwise(canonical)
    text = quoted_column(name)
    return F.when(is_of("text"), quoted_text(text)).otherwise(canonical)


def _canonical_json(name: str) -> Column:
    """A JSON text with canonical numbers; any other text as it is."""
    parsed = json_text.parsed_sql(quoted(name))
    spelt = let("json", parsed, json_text.canonical_sql("json"))
    return F.expr(f"coalesce({spelt}, {quoted(name)})")


def read_texts(
    texts: DataFrame, place: TablePlace, columns: Sequence[TextColumn], scratch: str
) -> tuple[DataFrame, tuple[str, ...]]:
    """The columns' values, written once to `scratch`, and notes on lost spellings.

    Failures are counted in that pass. ConfigurationError for any, naming each column with a count
    and an example, and for records that cannot be read.
    """
    broken = [BROKEN] if BROKEN in texts.columns else []
    marked = {i: c for i, c in enumerate(columns) if c.marked is not None}
    read = texts.select(
        *(c.value.alias(f"v{i}") for i, c in enumerate(columns)),
        *(
            c.loses_spelling.alias(f"l{i}")
            for i, c in enumerate(columns)
            if c.loses_spelling is not None
        ),
        *(quoted_column(c.name).alias(f"t{i}") for i, c in enumerate(columns)),
        *(c.marked.alias(f"m{i}") for i, c in marked.items() if c.marked is not None),
        *broken,
    )
    metrics = [F.count(F.lit(1)).alias("rows")]
    for i, column in enumerate(columns):
        metrics += _metrics(i, column)
    if broken:
        metrics += [F.count(BROKEN).alias("broken"), F.min(BROKEN).alias("first")]
    observation = Observation()
    values = read.observe(observation, *metrics).select(
        *(F.col(f"v{i}").alias(c.name) for i, c in enumerate(columns)),
        *(beside(F.col(f"m{i}"), i, c.name, c.kinds) for i, c in marked.items()),
    )
    values.write.parquet(scratch)
    counts = observation.get
    if counts.get("broken"):
        raise broken_records_error(place, counts["broken"], counts["first"])
    if any(counts[f"n{i}"] for i in range(len(columns))):
        raise _unreadable_error(place, columns, counts)
    stored = texts.sparkSession.read.schema(values.schema).parquet(spark_path(scratch))
    final_types = {c.name: _final_type(c, counts.get(f"w{i}")) for i, c in enumerate(columns)}
    notes = tuple(
        _lost_note(place, c, counts[f"k{i}"], counts[f"x{i}"])
        for i, c in enumerate(columns)
        if counts.get(f"k{i}")
    )
    return stored.select(
        *(quoted_column(n).cast(kind).alias(n) for n, kind in final_types.items()),
        *(column.name for column in marked_columns(values).values()),
    ), notes


def _metrics(i: int, column: TextColumn) -> Iterator[Column]:
    """Aggregates of column number i, by metric.

    They are unreadable values (n, an example in e) and readable ones (g), rewritten texts (k, an
    example in x), and the longest fraction beyond its kind (w).
    """
    read, text = F.col(f"v{i}"), F.col(f"t{i}")
    wrong, shown = text.isNotNull() & read.isNull(), F.substring(text, 1, _SHOWN)
    yield F.count_if(wrong).alias(f"n{i}")
    yield F.min(F.when(wrong, shown)).alias(f"e{i}")
    yield F.count(read).alias(f"g{i}")
    if column.loses_spelling is not None:
        yield count_where(F.col(f"l{i}")).alias(f"k{i}")
        yield F.min(F.when(F.col(f"l{i}"), shown)).alias(f"x{i}")
    if column.wide != column.kind:
        fits = read.try_cast(column.kind).eqNullSafe(read)
        fraction = F.regexp_extract(read.cast("string"), _FRACTION, 1)
        yield F.max(F.when(~fits, F.length(fraction))).alias(f"w{i}")


def _final_type(column: TextColumn, fraction: int | None) -> T.DataType:
    """The type that the values need, with `fraction` digits after the point."""
    if fraction is None or not isinstance(column.wide, T.DecimalType):
        return column.kind
    own_digits = digits(column.kind)
    scale = max(fraction, own_digits.scale if own_digits else 0)
    return T.DecimalType(column.wide.precision - column.wide.scale + scale, scale)


def _lost_note(place: TablePlace, column: TextColumn, count: int, example: str) -> str:
    how = (
        "other words than true and false"
        if isinstance(column.kind, T.BooleanType)
        else "zeros before them, a plus sign, blanks or an exponent"
    )
    return (
        f"{place.side}: {_values(count)} in column {column.name} read as {column.kind_name} and "
        f"compared so, without how they are written ({how}): {_example(count, example)}"
    )


def _unreadable_error(
    place: TablePlace, columns: Sequence[TextColumn], counts: Mapping[str, Any]
) -> ConfigurationError:
    wrong = [(i, c) for i, c in enumerate(columns) if counts[f"n{i}"]]
    each = [_unreadable_sentence(c, counts[f"n{i}"], counts[f"e{i}"]) for i, c in wrong]
    more = f"; and so in {len(each) - _MOST_NAMED} more columns" if len(each) > _MOST_NAMED else ""
    # Where no value could be read, or a type's own texts are not how people write them, texts would
    # not match either.
    could_match = [
        c.left_name
        for i, c in wrong
        if counts[f"g{i}"] and not isinstance(c.kind, _WRITTEN_OTHERWISE)
    ]
    names = ",".join(could_match[:_MOST_NAMED])
    as_texts = f", or compare them as texts: --as-text {names}" if names else ""
    instants = [c.name for _, c in wrong if isinstance(c.kind, T.TimestampType)]
    zone = (
        f" A rule may declare the zone of {', '.join(instants)}, where its times have none."
        if instants
        else ""
    )
    return ConfigurationError(
        f"{place.side}: {place.shown} has " + "; ".join(each[:_MOST_NAMED]) + more,
        next_step=f"Mend the values where the table is made{as_texts}.{zone}",
    )


def _unreadable_sentence(column: TextColumn, count: int, example: str) -> str:
    verb = "is" if count == 1 else "are"
    return (
        f"{_values(count)} in column {column.name} that {verb} no {column.kind_name}: "
        f"{_example(count, example)}"
    )


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"


def _example(count: int, example: str) -> str:
    return f"{'' if count == 1 else 'such as '}{example!r}"
