"""Clusters: each break is in exactly one, and each cluster has its likeliest cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.masking import Masking
from cutline.masking.frames import hidden_values
from cutline_reconciliation.explain.feeding.feed import Feed
from cutline_reconciliation.explain.feeding.sentences import cause_text, fed_text
from cutline_reconciliation.explain.groups import group_key
from cutline_reconciliation.explain.likely_causes import LikelyCauses
from cutline_reconciliation.explain.patterns import PATTERN, TOGETHER
from cutline_reconciliation.explain.risk import Counts
from cutline_reconciliation.explain.sentences import (
    attribute_text,
    cause_sentence,
    not_looked_into_sentence,
    pattern_sentence,
)

ALIKE = ("level", "name", "kind", "column", TOGETHER, PATTERN, "rule", "disposition")
"""The columns that breaks of one cluster share, in the order of its id."""
MOST_LOOKED_INTO = 1_000
"""The clusters whose causes are looked for, those of most breaks; of others it is said."""
_DIGITS = 16


def with_cluster(breaks: DataFrame) -> DataFrame:
    """The breaks with the id of their cluster, a digest of the columns that they share."""
    shared = F.to_json(
        F.struct(*(F.col(f"`{c}`").alias(c) for c in ALIKE)), {"ignoreNullFields": "false"}
    )
    return breaks.withColumn("cluster", F.substring(F.sha2(shared, 256), 1, _DIGITS))


def collect_clusters(breaks: DataFrame, masking: Masking) -> list[dict[str, Any]]:
    """One collected row per cluster: the shared columns, `count`, `subjects`, `amount`, `money`.

    Their number is bounded by declarations and not by the number of breaks. Amounts of personal
    columns, and amounts of more than 38 digits, are null.
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


def by_count(clusters: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The clusters in the order of `by_count`: by count, then money, then id."""
    return sorted(clusters, key=lambda r: (-r["count"], -(r["money"] or 0), r["cluster"]))


def cluster_rows(
    clusters: Sequence[dict[str, Any]],
    attribute_causes: Mapping[tuple[str, str], LikelyCauses],
    feeds_of: Mapping[tuple[str, str], Sequence[Feed]],
    versions: Mapping[str, int],
) -> list[dict[str, Any]]:
    """The rows of CLUSTERS, in the order of `clusters`, which is that of `by_count`.

    `attribute_causes` are the likely causes by group and cluster, `feeds_of` the feeds. A feed is
    the cause of a cluster unless fewer subjects depend on it than have the attributes. `versions`
    are the majors of the translators by name.
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
    rows = []
    for place, row in enumerate(clusters, 1):
        key = (group_key(row["level"], row["name"]), row["cluster"])
        feeds, by_rows = feeds_of.get(key, ()), attribute_causes.get(key)
        cause_columns = (
            _by_feeds(feeds, versions, likely_texts)
            if feeds and _explains_more(feeds[0], by_rows)
            else _by_rows(row, by_rows, looked_into=place <= MOST_LOOKED_INTO)
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


def _explains_more(feed: Feed, attribute_causes: LikelyCauses | None) -> bool:
    """Whether a cluster's cause is its feed rather than attributes of legacy rows.

    It is where the feed's removal settles decisions, or where no fewer subjects depend on it.
    """
    causes = attribute_causes.causes if attribute_causes else ()
    return bool(
        feed.settled or not causes or feed.counts.broken_with >= causes[0].counts.broken_with
    )


def _by_rows(
    row: Mapping[str, Any], attribute_causes: LikelyCauses | None, *, looked_into: bool
) -> dict[str, Any]:
    """The cause columns of a cluster whose cause is attributes of its legacy rows."""
    cause = attribute_causes.causes[0] if attribute_causes and attribute_causes.causes else None
    matched = attribute_causes.matched if attribute_causes else 0
    return {
        **_counts(cause.counts if cause else None, matched, cause.ratio if cause else None),
        "cause": attribute_text(cause.attributes) if cause else None,
        "fed_by": None,
        "fed_subjects": None,
        "fed_amount": None,
        "settled": None,
        "why": cause_sentence(cause, row["subjects"], matched)
        if looked_into
        else not_looked_into_sentence(MOST_LOOKED_INTO),
    }


def _by_feeds(
    feeds: Sequence[Feed], versions: Mapping[str, int], likely: Mapping[str, str]
) -> dict[str, Any]:
    """The cause columns of a cluster whose cause is its first feed."""
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
    """The ratio to six decimal places, truncated."""
    return Decimal(ratio.numerator * 10**6 // ratio.denominator).scaleb(-6)
