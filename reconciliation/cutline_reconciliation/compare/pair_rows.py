"""Rows of two DataFrames joined by key: one row per key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns.differences import differences
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.pair import column_pair
from cutline_reconciliation.compare.plan import key_pair, refuse_absent, refuse_key
from cutline_reconciliation.compare.rules import ColumnRules

_RESULT = ("class", "rows_left", "rows_right", "left", "right", "differences")


def pair_rows(
    left: DataFrame,
    right: DataFrame,
    *,
    key: Sequence[str],
    columns: Mapping[str, ColumnRules | None],
) -> DataFrame:
    """One row per key of either side, with its class. One exchange.

    The columns are the key and

    - `class`: one of `classes.ALL`. A key with a null in it is `null_key`; any other with several
    rows on a side is `duplicated`. - `rows_left`, `rows_right`: the number of rows on each side. -
    `left`, `right`: the side's other columns as a struct; null where it has no row, or several. -
    `differences`: one element per differing column, in the order of `columns`, as
    `pair.DIFFERENCE`: its name, its class (`changed` or `within_tolerance`), both values as text,
    right minus left where both are numbers, and the rules that forgive it. Empty unless each side
    has one row.

    `columns` are the compared columns with their rules or None; `columns.forms` defines equality.
    Other columns are passed through. ConfigurationError if a column is missing or its types cannot
    be compared.
    """
    _refuse(left, right, key, columns)
    pairs = [
        column_pair(name, left.schema[name].dataType, right.schema[name].dataType, rules)
        for name, rules in columns.items()
    ]
    grouped = (
        _side(left, right, key, "left")
        .unionByName(_side(right, left, key, "right"))
        .groupBy(*map(quoted_column, key))
        .agg(
            F.count("left").alias("rows_left"),
            F.count("right").alias("rows_right"),
            F.first("left", ignorenulls=True).alias("left"),
            F.first("right", ignorenulls=True).alias("right"),
        )
    )
    null_key = reduce(Column.__or__, (quoted_column(k).isNull() for k in key))
    once = (F.col("rows_left") == 1) & (F.col("rows_right") == 1) & ~null_key
    row_differences = differences(pairs)
    compared = grouped.withColumn("differences", F.when(once, row_differences).otherwise(F.array()))
    return compared.select(
        *map(quoted_column, key),
        _class(null_key).alias("class"),
        "rows_left",
        "rows_right",
        F.when(F.col("rows_left") == 1, F.col("left")).alias("left"),
        F.when(F.col("rows_right") == 1, F.col("right")).alias("right"),
        "differences",
    )


def _refuse(
    left: DataFrame, right: DataFrame, key: Sequence[str], columns: Mapping[str, object]
) -> None:
    refuse_key(left, right, key)
    refuse_absent(left, right, columns)
    for name in key:
        if name.lower() in _RESULT:
            raise ConfigurationError(
                f"a key column cannot be called {name}: the result has a column of that name",
                next_step="Rename it on both sides.",
            )
        kinds = left.schema[name].dataType, right.schema[name].dataType
        key_pair(name, *kinds)
        if kinds[0] != kinds[1]:
            raise ConfigurationError(
                f"key column {name} is {kinds[0].simpleString()} on the left and "
                f"{kinds[1].simpleString()} on the right",
                next_step="Cast one of them to the type of the other.",
            )
        if name in columns:
            raise ConfigurationError(f"column {name} is in the key and cannot be compared as well")


def _side(frame: DataFrame, opposite_frame: DataFrame, key: Sequence[str], name: str) -> DataFrame:
    """The key, this side's other columns as the struct `name`, and the other side's as null."""
    opposite_columns = [c for c in opposite_frame.columns if c not in key]
    empty = (
        opposite_frame.select(F.struct(*map(quoted_column, opposite_columns)).alias("s"))
        .schema["s"]
        .dataType
    )
    values = F.struct(*(quoted_column(c) for c in frame.columns if c not in key))
    opposite = "right" if name == "left" else "left"
    return frame.select(
        *map(quoted_column, key), values.alias(name), F.lit(None).cast(empty).alias(opposite)
    )


def _class(null_key: Column) -> Column:
    changed = F.exists("differences", lambda d: d["class"] == classes.CHANGED)
    return (
        F.when(null_key, classes.NULL_KEY)
        .when((F.col("rows_left") > 1) | (F.col("rows_right") > 1), classes.DUPLICATED)
        .when(F.col("rows_right") == 0, classes.ONLY_LEFT)
        .when(F.col("rows_left") == 0, classes.ONLY_RIGHT)
        .when(changed, classes.CHANGED)
        .when(F.size("differences") > 0, classes.WITHIN_TOLERANCE)
        .otherwise(classes.MATCHED)
    )
