"""Counts of differences by column and forgiving rule, over pairs of rows with unlike digests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark.few_rows import broadcast_if_few
from cutline.spark.observed import collect_counts
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.counts.digest import digest
from cutline_reconciliation.compare.counts.key_totals import (
    SIGNATURE,
    KeyTotals,
    key_columns,
    key_names,
    once_on_each_side,
    signatures,
)
from cutline_reconciliation.compare.counts.verdict_counts import verdict_counts
from cutline_reconciliation.compare.plan import ComparisonPlan


def count_differences(
    left: DataFrame, right: DataFrame, plan: ComparisonPlan, totals: KeyTotals
) -> Mapping[str, int]:
    """The `verdict_counts` of the pairs in `totals`: one job, and none without pairs.

    The job reads only columns with a differing bit in `totals`. If their digests do not give the
    signature of `totals`, a differing column was not read, and one more job reads all.
    """
    if totals.counts["pairs"] == totals.counts["alike"]:
        return {}
    all_places = range(len(plan.columns))
    if 0 < len(totals.columns) < len(all_places):
        pairs = _pairs(left, right, plan, totals, totals.columns)
        counts = collect_counts(
            pairs, _verdict_counts(plan, totals.columns) | _signature(plan, totals.columns)
        )
        if tuple(counts.pop(name) for name in SIGNATURE) == totals.signature:
            return counts
    return collect_counts(
        _pairs(left, right, plan, totals, all_places), _verdict_counts(plan, all_places)
    )


def _pairs(
    left: DataFrame,
    right: DataFrame,
    plan: ComparisonPlan,
    totals: KeyTotals,
    places: Sequence[int],
) -> DataFrame:
    """One row per pair: its key, and by place the values of both sides and the verdict."""
    keys = key_names(plan)
    wanted = totals.suspects.where(once_on_each_side()).select(*keys)
    wanted_keys = broadcast_if_few(wanted, totals.counts["pairs"] - totals.counts["alike"])
    rows = [
        frame.select(
            *key_columns(side, plan),
            *(quoted_column(plan.columns[i].name).alias(_column_name(side, i)) for i in places),
        ).join(wanted_keys, keys, "left_semi")
        for side, frame in (("left", left), ("right", right))
    ]
    verdicts = (
        plan.columns[i].verdict(*(F.col(_column_name(side, i)) for side in ("left", "right")))
        for i in places
    )
    named_verdicts = (
        verdict.alias(_column_name("", i)) for i, verdict in zip(places, verdicts, strict=True)
    )
    return rows[0].join(rows[1], keys).select("*", *named_verdicts)


def _verdict_counts(plan: ComparisonPlan, places: Sequence[int]) -> dict[str, Column]:
    return verdict_counts(plan, {i: F.col(_column_name("", i)) for i in places})


def _signature(plan: ComparisonPlan, places: Sequence[int]) -> dict[str, Column]:
    sides = (_digest(plan, side, places) for side in ("left", "right"))
    changes = (one.bitwiseXOR(other) for one, other in zip(*sides, strict=True))
    pair_signatures = signatures(plan, *changes)
    return {name: F.bit_xor(one) for name, one in zip(SIGNATURE, pair_signatures, strict=True)}


def _digest(plan: ComparisonPlan, side: str, places: Sequence[int]) -> tuple[Column, Column]:
    pairs = {i: plan.columns[i] for i in places}
    return digest(
        {
            i: (p.in_common_form(F.col(_column_name(side, i)), side), p.form.type)
            for i, p in pairs.items()
        }
    )


def _column_name(side: str, i: int) -> str:
    return f"_{side}{i}"
