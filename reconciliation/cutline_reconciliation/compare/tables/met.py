"""Two tables brought to meet: what has no types is read in the types of the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean
from cutline.sources.sql_text import quoted
from cutline.spark.number_text import canonical_sql
from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.columns.values import text as text_of
from cutline_reconciliation.compare.tables.columns import Reading, SourceColumn, meet
from cutline_reconciliation.compare.tables.fetched import Fetched, Rows
from cutline_reconciliation.compare.tables.place import Place
from cutline_reconciliation.compare.tables.reading import marked
from cutline_reconciliation.compare.tables.text_columns import read_texts, text_column


@dataclass(frozen=True)
class Side:
    """One side, ready to be compared."""

    frame: DataFrame
    columns: Mapping[str, SourceColumn]
    """As the source has them."""
    notes: tuple[str, ...]
    """What a reader of the result should know of how it was read."""


@dataclass(frozen=True)
class Wishes:
    """What somebody said of how columns are to be read; the left side's names.

    `pairs` are the columns of the right that the left's are compared with, where they are called
    otherwise; `local_left` and `local_right` those whose times have no zone on that side, because a
    rule declares one; `as_text` those that are compared as texts on both sides. In these three `*`
    stands for all. `own` are those that keep their own type, whatever they meet, because a rule
    says which value of one side stands for which of the other.
    """

    key: Sequence[str]
    pairs: Mapping[str, str]
    local_left: frozenset[str] = frozenset()
    local_right: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    as_text: frozenset[str] = frozenset()


def met(
    spark: SparkSession, left: Fetched, right: Fetched, wishes: Wishes, scratch: str
) -> tuple[Side, Side]:
    """Both sides with columns that can be compared; texts are read once, into `scratch`.

    ConfigurationError if a record cannot be read, or if a value is none of the type in which it is
    to be read: each column is told, with a count and an example.
    """
    sides = left.rows(spark), right.rows(spark)
    _known(wishes, sides[0], left.place)
    named_right = {r: n for n, r in wishes.pairs.items()}
    pairs = {n: wishes.pairs.get(n, n) for n in sides[0].columns}
    pairs = {n: r for n, r in pairs.items() if r == wishes.pairs.get(n) or r not in named_right}
    meeting = {n: r for n, r in pairs.items() if n not in wishes.own}
    readings = meet(sides[0].columns, sides[1].columns, meeting)
    back = {r: n for n, r in pairs.items()}
    same = {n: n for n in readings[0]}
    one = _side(sides[0], left.place, readings[0], same, wishes, f"{scratch}/left")
    two = _side(sides[1], right.place, readings[1], back, wishes, f"{scratch}/right")
    return one, two


def _known(wishes: Wishes, left: Rows, place: Place) -> None:
    for name in wishes.as_text - {"*"}:
        if name not in left.columns:
            raise ConfigurationError(
                f"--as-text {name}: {place.shown} has no such column."
                + did_you_mean(name, left.columns),
                next_step=f"It has: {', '.join(left.columns)}.",
            )


def _side(
    rows: Rows,
    place: Place,
    readings: Mapping[str, Reading],
    called: Mapping[str, str],
    wishes: Wishes,
    scratch: str,
) -> Side:
    """`called` says what the left side calls each column, for those that it has."""
    texts = {n for n in readings if "*" in wishes.as_text or called.get(n) in wishes.as_text}
    if not rows.texts:
        typed = [_typed(rows, n, r, n in texts).alias(n) for n, r in readings.items()]
        changed = texts or any(r.form != "value" for r in readings.values())
        return Side(rows.frame.select(*typed) if changed else rows.frame, rows.columns, rows.notes)
    zoneless = wishes.local_left if place.side == "left" else wishes.local_right
    local = {n for n in readings if "*" in zoneless or called.get(n) in zoneless}
    columns = []
    for name, reading in readings.items():
        if name in texts:
            chosen = Reading(T.StringType())
        else:
            chosen = replace(reading, kind=_zoneless(reading.kind)) if name in local else reading
        exact = called.get(name) in wishes.key
        columns.append(text_column(rows, name, called.get(name, name), chosen, exact=exact))
    frame, lost = read_texts(rows.frame, place, columns, scratch)
    return Side(frame, rows.columns, (*rows.notes, *lost))


def _typed(rows: Rows, name: str, reading: Reading, as_text: bool) -> Column:
    """A column that has a type already, as it is to be compared."""
    kind = rows.frame.schema[name].dataType
    if as_text:
        return text_of(named(name), kind)
    if reading.form == "value":
        return named(name)
    text = text_of(named(name), kind)
    if isinstance(kind, T.StringType):
        return marked(text, text.isNotNull(), text)
    if not isinstance(kind, T.NumericType):
        return text
    return F.expr(canonical_sql(f"CAST({quoted(name)} AS string)"))


def _zoneless(kind: T.DataType) -> T.DataType:
    return T.TimestampNTZType() if isinstance(kind, T.TimestampType) else kind
