"""The first job: each key in a class, by digests of its rows; those to look at are set aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from cutline_reconciliation.compare.digest import digest
from cutline_reconciliation.compare.names import named
from cutline_reconciliation.compare.plan import Plan
from cutline_reconciliation.compare.seen import seen
from cutline_reconciliation.compare.settings import LARGE_GROUPING, settings

LEFT, RIGHT = "_left", "_right"


@dataclass(frozen=True)
class Totals:
    """What the first job counts.

    `counts`: `alike` (keys once on each side whose rows have one digest), `pairs` (once on each
    side), `only_left`, `only_right`, `duplicate_keys` of either side, `duplicate_keys_left`,
    `duplicate_keys_right`, `duplicated_rows_left`, `duplicated_rows_right`, and rows with a null in
    the key, `null_keys_left` and `null_keys_right`.
    `suspects` has one row per key that is not `alike`: the key in its common form, and how often it
    is on each side in `_left` and `_right`.
    """

    counts: Mapping[str, int]
    suspects: DataFrame


def totals(left: DataFrame, right: DataFrame, plan: Plan) -> Totals:
    """Compare all rows by key and digest: one job with one exchange, of keys and digests alone."""
    both = _digested(left, plan, "left").unionAll(_digested(right, plan, "right"))
    keys = [named(name) for name in key_names(plan)]
    counted, counts = Observation(), _counts(no_key(plan))
    # Most keys have two rows. Where rows are brought together before they are counted, nothing is
    # spent on counting those of one task first.
    grouped = (
        both.repartition(*keys)
        .groupBy(*keys)
        .agg(
            F.sum(LEFT).alias(LEFT),
            F.sum(RIGHT).alias(RIGHT),
            F.bit_xor("_one").alias("_one"),
            F.bit_xor("_other").alias("_other"),
        )
    )
    found = grouped.observe(counted, *(c.alias(name) for name, c in counts.items()))
    suspects = found.where(~_alike() & ~no_key(plan)).select(*keys, LEFT, RIGHT)
    with settings(left.sparkSession, LARGE_GROUPING):
        kept = suspects.localCheckpoint(eager=True, storageLevel=StorageLevel.DISK_ONLY)
    # Where no row comes out of the grouping, none went into it.
    return Totals(seen(counted, lambda: dict.fromkeys(counts, 0)), kept)


def key_names(plan: Plan) -> list[str]:
    """What the key's columns are called where they stand beside others."""
    return [f"_key{i}" for i in range(len(plan.key))]


def keyed(side: str, plan: Plan) -> list[Column]:
    """The key of a side's row in its common form."""
    return [
        p.alike(named(p.name), side).alias(name)
        for p, name in zip(plan.key, key_names(plan), strict=True)
    ]


def no_key(plan: Plan) -> Column:
    """Whether a key has a null in it."""
    return reduce(Column.__or__, (named(name).isNull() for name in key_names(plan)))


def doubled() -> Column:
    """Whether a key is more than once on a side."""
    return (F.col(LEFT) > 1) | (F.col(RIGHT) > 1)


def _digested(frame: DataFrame, plan: Plan, side: str) -> DataFrame:
    one, other = digest((p.plain(named(p.name), side), p.form.type) for p in plan.columns)
    return frame.select(
        *keyed(side, plan),
        F.lit(int(side == "left")).cast("tinyint").alias(LEFT),
        F.lit(int(side == "right")).cast("tinyint").alias(RIGHT),
        one.alias("_one"),
        other.alias("_other"),
    )


def _pair() -> Column:
    return (F.col(LEFT) == 1) & (F.col(RIGHT) == 1)


def _alike() -> Column:
    # Of one row on each side: what is the same is nothing, taken together by exclusive or.
    return _pair() & (F.col("_one") == 0) & (F.col("_other") == 0)


def _counts(null: Column) -> dict[str, Column]:
    left, right = F.col(LEFT), F.col(RIGHT)
    several = ~null & doubled()
    return {
        "alike": F.count_if(~null & _alike()),
        "pairs": F.count_if(~null & _pair()),
        "only_left": F.count_if(~null & (left == 1) & (right == 0)),
        "only_right": F.count_if(~null & (left == 0) & (right == 1)),
        "duplicate_keys": F.count_if(several),
        "duplicate_keys_left": F.count_if(~null & (left > 1)),
        "duplicate_keys_right": F.count_if(~null & (right > 1)),
        "duplicated_rows_left": F.sum(F.when(several, left)),
        "duplicated_rows_right": F.sum(F.when(several, right)),
        "null_keys_left": F.sum(F.when(null, left)),
        "null_keys_right": F.sum(F.when(null, right)),
    }
