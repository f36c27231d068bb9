"""The bounded part of a run's tables that a report shows: groups, their counts, five examples each.

All is collected in one Spark job, and its size grows with the number of rules and columns, never
with the number of rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.identity.exceptions import exception_id
from cutline.tables.breaks import OPENED, REOPENED

MOST, MOST_REASONS = 5, 20
LONGEST_VALUE = 300
LONGEST_PAYLOAD = 20_000

BREAK_GROUP = ("level", "name", "column", "kind")
EXCEPTION_GROUP = ("rule", "level")
FINDING_GROUP = ("rule", "aggregate")
EXCUSE_GROUP = ("level", "name", "class", "rests_on", "reason")

Row = dict[str, Any]


def break_groups(breaks: DataFrame) -> DataFrame:
    """One row per group of breaks: its key, `count`, and `amount`, a sum that is null without
    amounts.

    `opened`, `reopened` and `waived` are numbers of breaks in the group.
    """
    # A sum beyond 38 digits is null, where ANSI mode would fail the report.
    return breaks.groupBy(*_key(BREAK_GROUP)).agg(
        F.count(F.lit(1)).alias("count"),
        F.try_sum("amount").alias("amount"),
        F.count_if(F.col("state") == OPENED).alias("opened"),
        F.count_if(F.col("state") == REOPENED).alias("reopened"),
        F.count_if(F.col("waiver").isNotNull()).alias("waived"),
    )


def break_pairs(breaks: DataFrame) -> DataFrame:
    """The most frequent pairs of values per group of breaks, with `count` and `place` from 1."""
    pairs = (
        breaks.where(F.col("legacy").isNotNull() | F.col("new").isNotNull())
        .groupBy(*_key(BREAK_GROUP), "legacy", "new")
        .agg(F.count(F.lit(1)).alias("count"))
    )
    order = [F.col("count").desc(), F.col("legacy").asc_nulls_first(), F.col("new")]
    return _first(pairs, BREAK_GROUP, order).select(
        *_key(BREAK_GROUP), _short("legacy"), _short("new"), "count", "place"
    )


def break_examples(
    breaks: DataFrame, group: tuple[str, ...] = BREAK_GROUP, more: tuple[str, ...] = ()
) -> DataFrame:
    """The breaks with the largest amounts per group, then by subject, with `place` from 1.

    `more` are further columns, as text.
    """
    order = [F.abs("amount").desc_nulls_last(), F.col("subject"), F.col("legacy"), F.col("new")]
    texts = map(_short, ("subject", "legacy", "new", *more))
    return _first(breaks, group, order).select(*_key(group), *texts, "amount", "place")


def exception_groups(exceptions: DataFrame) -> DataFrame:
    """One row per rule and level, with `count`."""
    return exceptions.groupBy(*EXCEPTION_GROUP).count()


def exception_examples(exceptions: DataFrame, context: str, region: str) -> DataFrame:
    """The first exceptions of each rule and level of a slice, with their `id` and `place` from 1.

    A payload that is too long to show is null, and `payload_length` is its length in characters.
    """
    order = [F.col(f"`{c}`") for c in ("source", "table", "key", "position", "subject", "event_id")]
    length = F.length("payload")
    first = _first(exceptions, EXCEPTION_GROUP, order)
    return first.withColumn("id", exception_id(context, region)).select(
        "id",
        *EXCEPTION_GROUP,
        "aggregate",
        *map(_short, ("subject", "reason", "source", "table", "key", "position")),
        F.when(length <= LONGEST_PAYLOAD, F.col("payload")).alias("payload"),
        length.alias("payload_length"),
        "place",
    )


def finding_groups(findings: DataFrame) -> DataFrame:
    """One row per rule and aggregate, with `count`."""
    return findings.groupBy(*FINDING_GROUP).count()


def finding_examples(findings: DataFrame) -> DataFrame:
    """The first findings of each rule and aggregate by subject, with `place` from 1."""
    return _first(findings, FINDING_GROUP, [F.col("subject"), F.col("event_id")]).select(
        *FINDING_GROUP, _short("subject"), "type", _short("reason"), "place"
    )


def excuse_examples(excuses: DataFrame) -> DataFrame:
    """The first excuses of each level, name, class, ground and reason, with `place` from 1.

    `count` is the number of excuses in the group. Of each level and name there are only the
    MOST_REASONS most frequent groups, for reasons are free texts of truth.
    """
    groups = excuses.groupBy(*EXCUSE_GROUP).agg(F.count(F.lit(1)).alias("count"))
    frequent = Window.partitionBy("level", "name").orderBy(
        F.col("count").desc(), *_key(EXCUSE_GROUP[2:])
    )
    frequent_groups = groups.withColumn("rank", F.row_number().over(frequent))
    frequent_groups = frequent_groups.where(F.col("rank") <= MOST_REASONS).drop("rank")
    shown = ("subject", "reason", "whole", "source", "table", "key", "position", "event_id")
    first = _first(excuses, EXCUSE_GROUP, [F.col("subject")])
    return first.join(F.broadcast(frequent_groups), list(EXCUSE_GROUP)).select(
        *_key(EXCUSE_GROUP[:-1]), "aggregate", *map(_short, shown), "count", "place"
    )


def rule_counts(dispositions: DataFrame) -> DataFrame:
    """One row per disposition and rule, with `count`."""
    return dispositions.groupBy("disposition", "rule").count()


def collect(parts: Mapping[str, DataFrame]) -> dict[str, list[Row]]:
    """The rows of several bounded tables, in one job. Decimals stay Decimals.

    This is the one place of the report that brings rows to the driver.
    """
    texts = (
        frame.select(
            F.lit(name).alias("part"),
            F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("row"),
        )
        for name, frame in parts.items()
    )
    rows_by_part: dict[str, list[Row]] = {name: [] for name in parts}
    for part, row in reduce(DataFrame.union, texts).collect():
        rows_by_part[part].append(json.loads(row, parse_float=Decimal))
    return rows_by_part


def _key(names: tuple[str, ...]) -> list[Column]:
    return [F.col(f"`{name}`") for name in names]


def _first(frame: DataFrame, group: tuple[str, ...], order: list[Column]) -> DataFrame:
    place = F.row_number().over(Window.partitionBy(*_key(group)).orderBy(*order))
    return frame.withColumn("place", place).where(F.col("place") <= MOST)


def _short(name: str) -> Column:
    """The text, cut where nobody would read on, saying how long it was."""
    text = F.col(f"`{name}`")
    length = F.length(text)
    cut = F.concat(
        F.substring(text, 1, LONGEST_VALUE), F.lit(" … ("), length, F.lit(" characters)")
    )
    return F.when(length > LONGEST_VALUE, cut).otherwise(text).alias(name)
