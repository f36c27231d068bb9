"""Counts of links by cluster and kind of feed: few rows, however many subjects there are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.explain.attributes import LABEL, MATCHED_LABEL
from cutline_reconciliation.explain.feeding.feed import Feed, FeedKind
from cutline_reconciliation.explain.feeding.possible_feeds import BELOW, BY
from cutline_reconciliation.explain.feeding.way import ITSELF, LOOKS_AT
from cutline_reconciliation.explain.groups import GROUP
from cutline_reconciliation.explain.likely_causes import LikelyCauses
from cutline_reconciliation.explain.risk import Counts

_Key = tuple[str, str]
_KIND = (*BELOW, "way")


def count_feeds(
    links: DataFrame, attribute_causes: Mapping[_Key, LikelyCauses]
) -> dict[_Key, list[Feed]]:
    """The feeds of clusters by group and label, counted in one job.

    The result is bounded by the number of clusters: subjects and their feeds are counted, not
    listed. Ways are counted separately, but ITSELF counts as LOOKS_AT for decisions.
    """
    merged = F.when(F.col("way") == ITSELF, LOOKS_AT).otherwise(F.col("way"))
    itself = F.col("way") == ITSELF
    by_way = links.withColumn("_itself", itself).withColumn("way", merged)
    reaching = by_way.groupBy(GROUP, LABEL, *_KIND).agg(
        F.count_distinct("subject").alias("reached"), F.bool_and("_itself").alias("itself")
    )
    makers = ("by_cluster", "by_rule")
    causes = (
        by_way.where(F.col(LABEL) != MATCHED_LABEL)
        .select(GROUP, LABEL, "way", *BY)
        .distinct()
        .groupBy(GROUP, LABEL, *_KIND, *makers)
        .agg(F.count("*").alias("causes"), F.try_sum("by_amount").alias("amount"))
    )
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
