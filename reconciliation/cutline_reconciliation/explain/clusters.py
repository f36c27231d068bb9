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
from cutline_reconciliation.explain.counting import Likely
from cutline_reconciliation.explain.feeding.feed import Feed
from cutline_reconciliation.explain.feeding.words import cause_text, fed_text
from cutline_reconciliation.explain.patterns import PATTERN, TOGETHER
from cutline_reconciliation.explain.risk import Counts
from cutline_reconciliation.explain.sentences import attribute_text, what, why

ALIKE = ("level", "name", "kind", "column", TOGETHER, PATTERN, "rule", "disposition")
"""What the breaks of one cluster share, in the order in which its id is made of them."""
_DIGITS = 16


def with_cluster(breaks: DataFrame) -> DataFrame:
    """The breaks with the id of their cluster: a digest of what they share, and of nothing else."""
    shared = F.to_json(
        F.struct(*(F.col(f"`{c}`").alias(c) for c in ALIKE)), {"ignoreNullFields": "false"}
    )
    return breaks.withColumn("cluster", F.substring(F.sha2(shared, 256), 1, _DIGITS))


def collected(breaks: DataFrame, masking: Masking) -> list[dict[str, Any]]:
    """One row per cluster: what its breaks share, `count`, `subjects`, `amount` and `money`.

    They are as many as the declarations allow, however many breaks there are. Amounts of personal
    columns are null, and what is beyond 38 digits.
    """
    told = ~hidden_values(masking)
    amount = F.when(told, F.col("amount"))
    money = F.coalesce(F.when(told, F.col("at_risk")), F.abs(amount))
    found = breaks.groupBy("cluster", *(F.col(f"`{c}`") for c in ALIKE)).agg(
        F.count("*").alias("count"),
        F.count_distinct("subject").alias("subjects"),
        F.try_sum(amount).cast("decimal(38,6)").alias("amount"),
        F.try_sum(money).cast("decimal(38,6)").alias("money"),
    )
    return [row.asDict() for row in found.collect()]


def judged(
    found: Sequence[Mapping[str, Any]],
    known: Mapping[tuple[str, str], Likely],
    fed: Mapping[tuple[str, str], Sequence[Feed]],
    versions: Mapping[str, int],
) -> list[dict[str, Any]]:
    """The rows of CLUSTERS, by count, then by money, then by id.

    `known` and `fed` are by group and cluster: what sets its subjects apart, and what feeds it,
    which is told rather unless fewer of them depend on it. `versions` are the majors of the
    translators by name.
    """
    by_money = {
        row["cluster"]: place
        for place, row in enumerate(
            sorted(
                (row for row in found if row["money"] is not None),
                key=lambda r: (-r["money"], -r["count"], r["cluster"]),
            ),
            1,
        )
    }
    likely = {label: attribute_text(one.causes[0].attributes)
              for (_, label), one in known.items() if one.causes}  # fmt: skip
    in_order = sorted(found, key=lambda r: (-r["count"], -(r["money"] or 0), r["cluster"]))
    rows = []
    for place, row in enumerate(in_order, 1):
        key = (group(row), row["cluster"])
        feeds, by_rows = fed.get(key, ()), known.get(key)
        told = (
            _by_feeds(feeds, versions, likely)
            if feeds and _says_more(feeds[0], by_rows)
            else _by_rows(row, by_rows)
        )
        shared = what(
            level=row["level"],
            name=row["name"],
            column=row["column"],
            pattern=row[PATTERN],
            breaks=row["count"],
        )
        places = {"by_count": place, "by_money": by_money.get(row["cluster"])}
        rows.append({**row, **places, **told, "sentence": f"{shared} {told['why']}"})
    return rows


def group(row: Mapping[str, Any]) -> str:
    """The name of the population that a cluster is compared with: its level and name."""
    return f"{row['level']}/{row['name']}"


def group_column() -> Column:
    """The same, in Spark."""
    return F.concat_ws("/", "level", "name")


def _says_more(feed: Feed, known: Likely | None) -> bool:
    """Whether what feeds a cluster is told, and not what its legacy rows have: where taking it away
    settles decisions, or where no fewer of its subjects depend on it."""
    causes = known.causes if known else ()
    return bool(
        feed.settled or not causes or feed.counts.broken_with >= causes[0].counts.broken_with
    )


def _by_rows(row: Mapping[str, Any], known: Likely | None) -> dict[str, Any]:
    """What its legacy rows tell of a cluster."""
    cause = known.causes[0] if known and known.causes else None
    matched = known.matched if known else 0
    return {
        **_counts(cause.counts if cause else None, matched, cause.ratio if cause else None),
        "cause": attribute_text(cause.attributes) if cause else None,
        "fed_by": None,
        "fed_subjects": None,
        "fed_amount": None,
        "settled": None,
        "why": why(cause, row["subjects"], matched),
    }


def _by_feeds(
    feeds: Sequence[Feed], versions: Mapping[str, int], likely: Mapping[str, str]
) -> dict[str, Any]:
    """What is below a cluster tells of it; the first is its cause."""
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
