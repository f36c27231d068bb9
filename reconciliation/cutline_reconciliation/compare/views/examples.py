"""A few examples of each class and of each column, collected by one job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.values import value_text

MOST = 5
"""Examples of each class, and pairs of values of each column and kind."""
_VALUE, _ROW = 200, 1000
"""Characters of a value, and of a row, that are shown."""
_WITHOUT_PAIR = (classes.ONLY_LEFT, classes.ONLY_RIGHT, classes.DUPLICATED, classes.NULL_KEY)


@dataclass(frozen=True)
class KeyExample:
    """One key, or one row without a key, that has no single row on each side."""

    key: tuple[str | None, ...]
    rows_left: int
    rows_right: int
    row: str | None
    """The row as JSON, where there is one; long ones are cut."""


@dataclass(frozen=True)
class PairExample:
    """A value of the left that stands beside a value of the right, and how often. None is null."""

    left: str | None
    right: str | None
    count: int
    """Keys with exactly this pair."""
    key: tuple[str | None, ...]
    """One of them, the first by its text."""
    rules: tuple[str, ...]
    """The rules by which it is forgiven."""


@dataclass(frozen=True)
class Examples:
    """What is shown of a comparison's details; bounded, whatever their size."""

    classes: Mapping[str, tuple[KeyExample, ...]] = field(default_factory=dict)
    """By class, the first keys."""
    columns: Mapping[str, Mapping[str, tuple[PairExample, ...]]] = field(default_factory=dict)
    """By column, and then by class (changed | within_tolerance), the most frequent pairs."""


def examples(details: DataFrame | None) -> Examples:
    """The examples of a `Comparison`'s details; none where everything is the same."""
    if details is None:
        return Examples()
    rows = _keys(details).unionByName(_pairs(details)).collect()
    by_class: dict[str, list[KeyExample]] = {}
    by_column: dict[str, dict[str, list[PairExample]]] = {}
    for row in sorted(rows, key=lambda r: int(r["rank"])):
        if row["column"] is None:
            by_class.setdefault(row["class"], []).append(_key_example(row))
        else:
            pairs = by_column.setdefault(row["column"], {}).setdefault(row["class"], [])
            pairs.append(_pair_example(row))
    return Examples(
        {name: tuple(found) for name, found in by_class.items()},
        {
            name: {kind: tuple(pairs) for kind, pairs in found.items()}
            for name, found in by_column.items()
        },
    )


def _keys(details: DataFrame) -> DataFrame:
    row = F.coalesce(*(_side_text(details, side) for side in ("left", "right")))
    keys = details.where(F.col("class").isin(*_WITHOUT_PAIR)).select(
        "class",
        _key(details).alias("key"),
        "rows_left",
        "rows_right",
        _shortened(row, _ROW).alias("left"),
    )
    first = Window.partitionBy("class").orderBy("key", "left")
    return keys.withColumn("rank", F.row_number().over(first)).where(F.col("rank") <= MOST).select(
        F.lit(None).cast("string").alias("column"), "class", "rank", "key",
        F.col("rows_left").cast("bigint").alias("rows_left"),
        F.col("rows_right").cast("bigint").alias("rows_right"),
        "left", F.lit(None).cast("string").alias("right"),
        F.lit(None).cast("array<string>").alias("rules"),
    )  # fmt: skip


def _pairs(details: DataFrame) -> DataFrame:
    differences = details.select(_key(details).alias("key"), F.explode("differences").alias("d"))
    parts = ("column", "class", "left", "right", "rules")
    counted = (
        differences.select("key", *(F.col("d").getField(p).alias(p) for p in parts))
        .groupBy(*parts)
        .agg(F.count(F.lit(1)).alias("rows_left"), F.min("key").alias("key"))
    )
    most = Window.partitionBy("column", "class").orderBy(
        F.desc("rows_left"), F.asc_nulls_first("left"), F.asc_nulls_first("right"), "key"
    )
    ranked = counted.withColumn("rank", F.row_number().over(most))
    return ranked.where(F.col("rank") <= MOST).select(
        "column", "class", "rank", "key", "rows_left", F.lit(0).cast("bigint").alias("rows_right"),
        _shortened(F.col("left"), _VALUE).alias("left"),
        _shortened(F.col("right"), _VALUE).alias("right"),
        F.col("rules").cast("array<string>").alias("rules"),
    )  # fmt: skip


def _key(details: DataFrame) -> Column:
    kind = details.schema["key"].dataType
    assert isinstance(kind, T.StructType)
    parts = (value_text(F.col("key").getField(f.name), f.dataType) for f in kind.fields)
    return F.array(*(_shortened(part, _VALUE) for part in parts))


def _side_text(details: DataFrame, side: str) -> Column:
    """A side's row as text; null where details have none of it at all."""
    if side not in details.columns:
        return F.lit(None).cast("string")
    return value_text(quoted_column(side), details.schema[side].dataType)


def _shortened(value: Column, most: int) -> Column:
    short = F.concat(F.substring(value, 1, most - 1), F.lit("…"))
    return F.when(F.length(value) > most, short).otherwise(value)


def _key_example(row: Row) -> KeyExample:
    return KeyExample(tuple(row["key"]), row["rows_left"], row["rows_right"], row["left"])


def _pair_example(row: Row) -> PairExample:
    rules = tuple(row["rules"] or ())
    return PairExample(row["left"], row["right"], row["rows_left"], tuple(row["key"]), rules)
