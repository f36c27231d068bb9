"""Counts of links by cluster and kind of feed: few rows, however many subjects there are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL
from cutline_reconciliation.explain.feeding.feed import Feed, FeedKind
from cutline_reconciliation.explain.feeding.possible_feeds import BELOW, BY
from cutline_reconciliation.explain.feeding.way import ITSELF, LOOKS_AT
from cutline_reconciliation.explain.groups import GROUP
from cutline_reconciliation.explain.likely_causes import LikelyCauses
from cutline_reconciliation.explain.risk import Counts

MOST_MAKERS = 100
"""The most clusters that a feed names; it counts the breaks of all."""
_Key = tuple[str, str]
_KIND = (*BELOW, "way")
_MAKERS = ("by_cluster", "by_rule")


def count_feeds(
    links: DataFrame, attribute_causes: Mapping[_Key, LikelyCauses]
) -> dict[_Key, list[Feed]]:
    """The feeds of clusters by group and label, counted in one job.

    The result is bounded by the number of clusters: subjects and their feeds are counted, not
    listed, and of a feed's own clusters the MOST_MAKERS with the most subjects are named. Ways are
    counted separately, but ITSELF counts as LOOKS_AT for decisions.
    """
    merged = F.when(F.col("way") == ITSELF, LOOKS_AT).otherwise(F.col("way"))
    itself = F.col("way") == ITSELF
    by_way = links.withColumn("_itself", itself).withColumn("way", merged)
    reaching = by_way.groupBy(GROUP, LABEL, *_KIND).agg(
        F.count_distinct("subject").alias("reached"), F.bool_and("_itself").alias("itself")
    )
    causes = (
        by_way.where(F.col(LABEL) != MATCHED_LABEL)
        .select(GROUP, LABEL, "way", *BY)
        .distinct()
        .groupBy(GROUP, LABEL, *_KIND, *_MAKERS)
        .agg(F.count("*").alias("causes"), F.try_sum("by_amount").alias("amount"))
    )
    if len(attribute_causes) > MOST_MAKERS:
        causes = first_makers(causes)
    texts = [
        frame.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"}))
        for frame in (reaching, causes)
    ]
    rows = [
        json.loads(row[0], parse_float=Decimal) for row in texts[0].unionAll(texts[1]).collect()
    ]
    matched = {
        (row[GROUP], _kind(row)): row["reached"]
        for row in rows
        if "reached" in row and row[LABEL] == MATCHED_LABEL
    }
    sources: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if "causes" in row:
            sources[(row[GROUP], row[LABEL], _kind(row))].append(row)
    feeds: dict[_Key, list[Feed]] = defaultdict(list)
    for row in rows:
        if "reached" in row and row[LABEL] != MATCHED_LABEL:
            key, kind = (row[GROUP], row[LABEL]), _kind(row)
            of_label = attribute_causes[key]
            counts = Counts(
                row["reached"],
                matched.get((row[GROUP], kind), 0),
                of_label.subjects,
                of_label.matched,
            )
            feeds[key].append(_feed(row, counts, sources[(*key, kind)]))
    return feeds


def first_makers(causes: DataFrame) -> DataFrame:
    """The causes of each feed by maker: of the MOST_MAKERS largest, and of all others in one row.

    That row has neither `by_cluster` nor `by_rule`.
    """
    feed = Window.partitionBy(GROUP, LABEL, *_KIND)
    order = feed.orderBy(F.col("causes").desc(), F.col("by_cluster"), F.col("by_rule"))
    named = F.row_number().over(order) <= MOST_MAKERS
    return (
        causes.withColumn("_named", named)
        .withColumns({name: F.when(F.col("_named"), F.col(name)) for name in _MAKERS})
        .groupBy(GROUP, LABEL, *_KIND, *_MAKERS)
        .agg(F.sum("causes").alias("causes"), F.try_sum("amount").alias("amount"))
    )


def _feed(row: Mapping[str, Any], counts: Counts, sources: list[dict[str, Any]]) -> Feed:
    in_order = sorted(sources, key=lambda r: (-r["causes"], r["by_cluster"] or ""))
    amounts = [Decimal(row["amount"]) for row in sources if row["amount"] is not None]
    return Feed(
        _below(row),
        counts,
        ITSELF if row["itself"] else row["way"],
        sum(row["causes"] for row in sources),
        sum(amounts, Decimal(0)) if amounts else None,
        tuple(dict.fromkeys(r["by_cluster"] for r in in_order if r["by_cluster"] is not None)),
        tuple(dict.fromkeys(r["by_rule"] for r in in_order if r["by_rule"] is not None)),
    )


def _kind(row: Mapping[str, Any]) -> tuple[FeedKind, str]:
    return _below(row), row["way"]


def _below(row: Mapping[str, Any]) -> FeedKind:
    return FeedKind(row["by_level"], row["by_name"] or "", row["by_kind"], row["by_column"] or "")
