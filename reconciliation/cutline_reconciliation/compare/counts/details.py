"""The drill-down: the keys that the first job set aside are looked at, whole row by whole row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare import classes
from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.columns.pair import Pair, told
from cutline_reconciliation.compare.counts.tally import tally, told_so
from cutline_reconciliation.compare.counts.totals import (
    LEFT,
    RIGHT,
    Totals,
    doubled,
    key,
    key_names,
    keyed,
    no_key,
    sent,
)
from cutline_reconciliation.compare.plan import Plan


@dataclass(frozen=True)
class Details:
    """The drill-down, before it is run."""

    looked_at: DataFrame
    """One row per key that has no twin, and a struct per compared column that is not the same."""
    plan: Plan

    @property
    def counts(self) -> Mapping[str, Column]:
        """The `tally` of `looked_at`."""
        return tally(self.plan, {i: F.col(_place(i)) for i in range(len(self.plan.columns))})

    def rows(self, looked_at: DataFrame) -> DataFrame:
        """`looked_at`, as `Comparison.details` tells of it."""
        found = [F.col(_place(i)) for i in range(len(self.plan.columns))]
        rows = looked_at.withColumn("differences", told(found))
        pair = F.col("class").isNull()
        kind = F.when(told_so(found, classes.CHANGED), classes.CHANGED).otherwise(
            classes.WITHIN_TOLERANCE
        )
        return rows.where(~pair | (F.size("differences") > 0)).select(
            "key", F.when(pair, kind).otherwise(F.col("class")).alias("class"),
            "rows_left", "rows_right", "left", "right", "differences",
        )  # fmt: skip


def details(left: DataFrame, right: DataFrame, plan: Plan, totals: Totals) -> Details:
    """The drill-down into the keys that `totals` set aside, and into rows without a key."""
    counts, keys = totals.counts, key_names(plan)
    once = totals.suspects.where(~doubled()).select(*keys)
    few = counts["pairs"] - counts["alike"] + counts["only_left"] + counts["only_right"]
    sought = sent(once, few)
    singles = _told(
        _rows(left, plan, "left")
        .join(sought, keys, "left_semi")
        .join(_rows(right, plan, "right").join(sought, keys, "left_semi"), keys, "full_outer"),
        plan,
    )
    parts = [singles]
    if counts["duplicate_keys"]:
        several = totals.suspects.where(doubled()).select(
            key(plan),
            F.lit(classes.DUPLICATED).alias("class"),
            F.col(LEFT).alias("rows_left"),
            F.col(RIGHT).alias("rows_right"),
        )
        parts.append(several)
    for side, frame in (("left", left), ("right", right)):
        if counts[f"null_keys_{side}"]:
            nameless = _rows(frame, plan, side).where(no_key(plan))
            kind = F.lit(classes.NULL_KEY)
            parts.append(_told(nameless, plan).withColumn("class", kind))
    rows = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)
    pair = F.col("class").isNull()
    found = [F.when(pair, p.difference(_of("left", p), _of("right", p))) for p in plan.columns]
    places = [column.alias(_place(i)) for i, column in enumerate(found)]
    return Details(rows.select("*", *places), plan)


def _rows(frame: DataFrame, plan: Plan, side: str) -> DataFrame:
    """The key in its common form, and the whole row as a struct called as its side."""
    return frame.select(*keyed(side, plan), F.struct(*map(named, frame.columns)).alias(side))


def _told(rows: DataFrame, plan: Plan) -> DataFrame:
    """Rows that have each side once or not at all; `class` is null where they have both."""
    left, right = (
        named(s).isNotNull() if s in rows.columns else F.lit(False) for s in ("left", "right")
    )
    sides = [s for s in ("left", "right") if s in rows.columns]
    only = F.when(~right, classes.ONLY_LEFT).when(~left, classes.ONLY_RIGHT)
    return rows.select(
        key(plan),
        only.alias("class"),
        left.cast("bigint").alias("rows_left"),
        right.cast("bigint").alias("rows_right"),
        *sides,
    )


def _of(side: str, pair: Pair) -> Column:
    return F.col(side).getField(pair.name)


def _place(i: int) -> str:
    return f"_difference{i}"
