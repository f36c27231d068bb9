"""Clusters: every break in exactly one, each with its likeliest cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.masking import Masking
from cutline.masking.frames import hidden_values
from cutline_reconciliation.explain.feeding.feed import Feed
from cutline_reconciliation.explain.feeding.sentences import cause_text, fed_text
from cutline_reconciliation.explain.likely_causes import LikelyCauses
from cutline_reconciliation.explain.patterns import PATTERN, TOGETHER
from cutline_reconciliation.explain.risk import Counts
from cutline_reconciliation.explain.sentences import (
    attribute_text,
    cause_sentence,
    pattern_sentence,
)

ALIKE = ("level", "name", "kind", "column", TOGETHER, PATTERN, "rule", "disposition")
"""What the breaks of one cluster share, in the order in which its id is made of them."""
_DIGITS = 16


def with_cluster(breaks: DataFrame) -> DataFrame:
    """The breaks with the id of their cluster: a digest of what they share, and of nothing else."""
    shared = F.to_json(
        F.struct(*(F.col(f"`{c}`").alias(c) for c in ALIKE)), {"ignoreNullFields": "false"}
    )
    return breaks.withColumn("cluster", F.substring(F.sha2(shared, 256), 1, _DIGITS))


def collect_clusters(breaks: DataFrame, masking: Masking) -> list[dict[str, Any]]:
    """One row per cluster: what its breaks share, `count`, `subjects`, `amount` and `money`.

    They are as many as the declarations allow, however many breaks there are. Amounts of personal
    columns are null, and what is beyond 38 digits.
    """
    shown = ~hidden_values(masking)
    amount = F.when(shown, F.col("amount"))
    money = F.coalesce(F.when(shown, F.col("at_risk")), F.abs(amount))
    counts = breaks.groupBy("cluster", *(F.col(f"`{c}`") for c in ALIKE)).agg(
        F.count("*").alias("count"),
        F.count_distinct("subject").alias("subjects"),
        F.try_sum(amount).cast("decimal(38,6)").alias("amount"),
        F.try_sum(money).cast("decimal(38,6)").alias("money"),
    )
    return [row.asDict() for row in counts.collect()]


def cluster_rows(
    clusters: Sequence[Mapping[str, Any]],
    attribute_causes: Mapping[tuple[str, str], LikelyCauses],
    feeds_of: Mapping[tuple[str, str], Sequence[Feed]],
    versions: Mapping[str, int],
) -> list[dict[str, Any]]:
    """The rows of CLUSTERS, by count, then by money, then by id.

    `known` and `fed` are by group and cluster: what sets its subjects apart, and what feeds it,
    which is shown instead unless fewer subjects depend on it. `versions` are the majors of the
    translators by name.
    """
    by_money = {
        row["cluster"]: place
        for place, row in enumerate(
            sorted(
                (row for row in clusters if row["money"] is not None),
                key=lambda r: (-r["money"], -r["count"], r["cluster"]),
            ),
            1,
        )
    }
    likely_texts = {label: attribute_text(one.causes[0].attributes)
              for (_, label), one in attribute_causes.items() if one.causes}  # fmt: skip
    in_order = sorted(clusters, key=lambda r: (-r["count"], -(r["money"] or 0), r["cluster"]))
    rows = []
    for place, row in enumerate(in_order, 1):
        key = (group(row), row["cluster"])
        feeds, by_rows = feeds_of.get(key, ()), attribute_causes.get(key)
        cause_columns = (
            _by_feeds(feeds, versions, likely_texts)
            if feeds and _explains_more(feeds[0], by_rows)
            else _by_rows(row, by_rows)
        )
        shared = pattern_sentence(
            level=row["level"],
            name=row["name"],
            column=row["column"],
            pattern=row[PATTERN],
            breaks=row["count"],
        )
        places = {"by_count": place, "by_money": by_money.get(row["cluster"])}
        rows.append(
            {**row, **places, **cause_columns, "sentence": f"{shared} {cause_columns['why']}"}
        )
    return rows


def group(row: Mapping[str, Any]) -> str:
    """The name of the population that a cluster is compared with: its level and name."""
    return f"{row['level']}/{row['name']}"


def group_column() -> Column:
    """The same, in Spark."""
    return F.concat_ws("/", "level", "name")


def _explains_more(feed: Feed, attribute_causes: LikelyCauses | None) -> bool:
    """Whether a feed is shown as the cause of a cluster, and no attribute of its legacy rows: if
    taking the feed away settles decisions, or if no fewer subjects depend on it."""
    causes = attribute_causes.causes if attribute_causes else ()
    return bool(
        feed.settled or not causes or feed.counts.broken_with >= causes[0].counts.broken_with
    )


def _by_rows(row: Mapping[str, Any], attribute_causes: LikelyCauses | None) -> dict[str, Any]:
    """The columns of a cluster's cause by its legacy rows."""
    cause = attribute_causes.causes[0] if attribute_causes and attribute_causes.causes else None
    matched = attribute_causes.matched if attribute_causes else 0
    return {
        **_counts(cause.counts if cause else None, matched, cause.ratio if cause else None),
        "cause": attribute_text(cause.attributes) if cause else None,
        "fed_by": None,
        "fed_subjects": None,
        "fed_amount": None,
        "settled": None,
        "why": cause_sentence(cause, row["subjects"], matched),
    }


def _by_feeds(
    feeds: Sequence[Feed], versions: Mapping[str, int], likely: Mapping[str, str]
) -> dict[str, Any]:
    """The columns of a cluster's cause by its feeds; the first feed is the cause."""
    feed = feeds[0]
    return {
        **_counts(feed.counts, feed.counts.matched, feed.counts.ratio),
        "cause": cause_text(feed.below),
        "fed_by": list(feed.clusters),
        "fed_subjects": feed.causes,
        "fed_amount": feed.amount,
        "settled": feed.settled,
        "why": " ".join(
            fed_text(one, versions, likely.get(next(iter(one.clusters), ""))) for one in feeds
        ),
    }


def _counts(counts: Counts | None, matched: int, ratio: Fraction | None) -> dict[str, Any]:
    return {
        "with_cause": counts.broken_with if counts else None,
        "matched_with_cause": counts.matched_with if counts else None,
        "matched": matched,
        "risk_ratio": None if ratio is None else _decimal(ratio),
    }


def _decimal(ratio: Fraction) -> Decimal:
    """The ratio to six digits, cut off."""
    return Decimal(ratio.numerator * 10**6 // ratio.denominator).scaleb(-6)
