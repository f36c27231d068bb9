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
from cutline_reconciliation.explain.patterns import PATTERN, TOGETHER
from cutline_reconciliation.explain.sentences import attribute_text, sentence

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
    found: Sequence[Mapping[str, Any]], known: Mapping[tuple[str, str], Likely]
) -> list[dict[str, Any]]:
    """The rows of CLUSTERS, by count, then by money, then by id."""
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
    in_order = sorted(found, key=lambda r: (-r["count"], -(r["money"] or 0), r["cluster"]))
    return [
        _judged(row, known.get((group(row), row["cluster"])), place, by_money.get(row["cluster"]))
        for place, row in enumerate(in_order, 1)
    ]


def group(row: Mapping[str, Any]) -> str:
    """The name of the population that a cluster is compared with: its level and name."""
    return f"{row['level']}/{row['name']}"


def group_column() -> Column:
    """The same, in Spark."""
    return F.concat_ws("/", "level", "name")


def _judged(
    row: Mapping[str, Any], known: Likely | None, by_count: int, by_money: int | None
) -> dict[str, Any]:
    cause = known.causes[0] if known and known.causes else None
    matched = known.matched if known else 0
    told = cause.counts if cause else None
    return {
        **row,
        "by_count": by_count,
        "by_money": by_money,
        "cause": attribute_text(cause.attributes) if cause else None,
        "with_cause": told.broken_with if told else None,
        "matched_with_cause": told.matched_with if told else None,
        "matched": matched,
        "risk_ratio": _decimal(cause.ratio) if cause else None,
        "sentence": sentence(
            level=row["level"],
            name=row["name"],
            column=row["column"],
            pattern=row[PATTERN],
            breaks=row["count"],
            subjects=row["subjects"],
            matched=matched,
            cause=cause,
        ),
    }


def _decimal(ratio: Fraction) -> Decimal:
    """The ratio to six digits, cut off."""
    return Decimal(ratio.numerator * 10**6 // ratio.denominator).scaleb(-6)
