"""The drill-down: whole rows of keys that are not alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark.few_rows import broadcast_if_few
from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.columns.pair import ColumnPair, not_null_differences
from cutline_reconciliation.compare.counts.key_totals import (
    LEFT,
    RIGHT,
    KeyTotals,
    duplicated,
    key_columns,
    key_has_null,
    key_names,
    key_struct,
)
from cutline_reconciliation.compare.counts.verdict_counts import any_verdict, verdict_counts
from cutline_reconciliation.compare.plan import ComparisonPlan


@dataclass(frozen=True)
class DrillDown:
    """The drill-down before it runs."""

    looked_at: DataFrame
    """One row per key that is not alike, with a struct per differing column."""
    plan: ComparisonPlan

    @property
    def counts(self) -> Mapping[str, Column]:
        """The `verdict_counts` of `looked_at`."""
        return verdict_counts(
            self.plan, {i: F.col(_difference_name(i)) for i in range(len(self.plan.columns))}
        )

    def rows(self, looked_at: DataFrame) -> DataFrame:
        """The rows of `looked_at`, in the columns of `Comparison.details`."""
        differences = [F.col(_difference_name(i)) for i in range(len(self.plan.columns))]
        rows = looked_at.withColumn("differences", not_null_differences(differences))
        pair = F.col("class").isNull()
        kind = F.when(any_verdict(differences, classes.CHANGED), classes.CHANGED).otherwise(
            classes.WITHIN_TOLERANCE
        )
        return rows.where(~pair | (F.size("differences") > 0)).select(
            "key", F.when(pair, kind).otherwise(F.col("class")).alias("class"),
            "rows_left", "rows_right", "left", "right", "differences",
        )  # fmt: skip


def drill_down(
    left: DataFrame, right: DataFrame, plan: ComparisonPlan, totals: KeyTotals
) -> DrillDown:
    """The drill-down into the unlike keys of `totals`, and into rows with a null key."""
    counts, keys = totals.counts, key_names(plan)
    once = totals.suspects.where(~duplicated()).select(*keys)
    number = counts["pairs"] - counts["alike"] + counts["only_left"] + counts["only_right"]
    sought = broadcast_if_few(once, number)
    singles = _with_class(
        _rows(left, plan, "left")
        .join(sought, keys, "left_semi")
        .join(_rows(right, plan, "right").join(sought, keys, "left_semi"), keys, "full_outer"),
        plan,
    )
    parts = [singles]
    if counts["duplicate_keys"]:
        several = totals.suspects.where(duplicated()).select(
            key_struct(plan),
            F.lit(classes.DUPLICATED).alias("class"),
            F.col(LEFT).alias("rows_left"),
            F.col(RIGHT).alias("rows_right"),
        )
        parts.append(several)
    for side, frame in (("left", left), ("right", right)):
        if counts[f"null_keys_{side}"]:
            nameless = _rows(frame, plan, side).where(key_has_null(plan))
            kind = F.lit(classes.NULL_KEY)
            parts.append(_with_class(nameless, plan).withColumn("class", kind))
    rows = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)
    pair = F.col("class").isNull()
    differences = [
        F.when(pair, p.difference(_field_of("left", p), _field_of("right", p)))
        for p in plan.columns
    ]
    places = [column.alias(_difference_name(i)) for i, column in enumerate(differences)]
    return DrillDown(rows.select("*", *places), plan)


def _rows(frame: DataFrame, plan: ComparisonPlan, side: str) -> DataFrame:
    """The key in its common form, and the whole row as a struct named `left` or `right`."""
    return frame.select(
        *key_columns(side, plan), F.struct(*map(quoted_column, frame.columns)).alias(side)
    )


def _with_class(rows: DataFrame, plan: ComparisonPlan) -> DataFrame:
    """Rows that have each side at most once; `class` is null where they have both."""
    left, right = (
        quoted_column(s).isNotNull() if s in rows.columns else F.lit(False)
        for s in ("left", "right")
    )
    sides = [s for s in ("left", "right") if s in rows.columns]
    only = F.when(~right, classes.ONLY_LEFT).when(~left, classes.ONLY_RIGHT)
    return rows.select(
        key_struct(plan),
        only.alias("class"),
        left.cast("bigint").alias("rows_left"),
        right.cast("bigint").alias("rows_right"),
        *sides,
    )


def _field_of(side: str, pair: ColumnPair) -> Column:
    return F.col(side).getField(pair.name)


def _difference_name(i: int) -> str:
    return f"_difference{i}"
