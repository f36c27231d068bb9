"""Counting links: few numbers by cluster and kind of break, however many decisions there are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.explain.counting import GROUP, LABEL, MATCHED, Likely
from cutline_reconciliation.explain.feeding.feed import Below, Feed
from cutline_reconciliation.explain.feeding.links import BELOW
from cutline_reconciliation.explain.risk import Counts

_Key = tuple[str, str]


def feeds_of(links: DataFrame, known: Mapping[_Key, Likely]) -> dict[_Key, list[Feed]]:
    """By group and label what feeds its decisions, in one job. What comes back is bounded by the
    number of clusters: decisions and subjects are counted, not listed."""
    decisions = links.groupBy(GROUP, LABEL, *BELOW).agg(
        F.count_distinct("subject").alias("decisions"), F.bool_and("own").alias("own")
    )
    made = ("by_cluster", "by_rule")
    subjects = (
        links.where(F.col(LABEL) != MATCHED)
        .select(GROUP, LABEL, *BELOW, *made, "by_subject", "by_amount")
        .distinct()
        .groupBy(GROUP, LABEL, *BELOW, *made)
        .agg(F.count("*").alias("subjects"), F.try_sum("by_amount").alias("amount"))
    )
    texts = [
        frame.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"}))
        for frame in (decisions, subjects)
    ]
    rows = [
        json.loads(row[0], parse_float=Decimal) for row in texts[0].unionAll(texts[1]).collect()
    ]
    matched = {
        (row[GROUP], _below(row)): row["decisions"]
        for row in rows
        if "decisions" in row and row[LABEL] == MATCHED
    }
    sources: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if "subjects" in row:
            sources[(row[GROUP], row[LABEL], _below(row))].append(row)
    found: dict[_Key, list[Feed]] = defaultdict(list)
    for row in rows:
        if "decisions" in row and row[LABEL] != MATCHED:
            key, below = (row[GROUP], row[LABEL]), _below(row)
            one = known[key]
            counts = Counts(
                row["decisions"], matched.get((row[GROUP], below), 0), one.subjects, one.matched
            )
            found[key].append(_feed(below, counts, row["own"], sources[(*key, below)]))
    return found


def _feed(below: Below, counts: Counts, own: bool, sources: list[dict[str, Any]]) -> Feed:
    in_order = sorted(sources, key=lambda r: (-r["subjects"], r["by_cluster"]))
    amounts = [Decimal(row["amount"]) for row in sources if row["amount"] is not None]
    return Feed(
        below,
        counts,
        own,
        sum(row["subjects"] for row in sources),
        sum(amounts, Decimal(0)) if amounts else None,
        tuple(dict.fromkeys(row["by_cluster"] for row in in_order)),
        tuple(dict.fromkeys(row["by_rule"] for row in in_order if row["by_rule"] is not None)),
    )


def _below(row: Mapping[str, Any]) -> Below:
    return Below(row["by_level"], row["by_name"], row["by_kind"], row["by_column"] or "")
