"""The first job: the class of each key by the digests of its rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cutline.spark.observed import count_where, observed_counts
from cutline_reconciliation.compare.columns.names import quoted_column
from cutline_reconciliation.compare.counts.digest import digest_with_bits, hashable, places_in
from cutline_reconciliation.compare.counts.grouping import GroupingMetrics, grouping_metrics
from cutline_reconciliation.compare.counts.settings import large_grouping, session_settings
from cutline_reconciliation.compare.plan import ComparisonPlan

LEFT, RIGHT = "_left", "_right"
SIGNATURE = "signed_one", "signed_other"
_GROUPS = "pairs", "only_left", "only_right", "duplicate_keys", "null_groups"
_ROWS = (
    "only_left", "only_right", "duplicated_rows_left", "duplicated_rows_right", "null_keys_left",
    "null_keys_right",
)  # fmt: skip


@dataclass(frozen=True)
class KeyTotals:
    """The result of the first job.

    `counts` has `alike` (keys once on each side with equal digests), `pairs` (keys once on each
    side), `only_left`, `only_right`, `duplicate_keys` of either side, `duplicate_keys_left`,
    `duplicate_keys_right`, `duplicated_rows_left`, `duplicated_rows_right`, and rows with a null in
    the key, `null_keys_left` and `null_keys_right`.

    `suspects` has one row per key that is not alike: the key in its common form, and its rows on
    each side in `_left` and `_right`.

    `columns` are the places of columns with a differing bit in a pair that is not alike. If no
    other column differs in these pairs, the digests of these columns give `signature` again.
    """

    counts: Mapping[str, int]
    suspects: DataFrame
    columns: tuple[int, ...]
    signature: tuple[int, ...]


def count_keys(left: DataFrame, right: DataFrame, plan: ComparisonPlan) -> KeyTotals:
    """Compare all rows by key and digest: one job with one exchange, of keys and digests alone."""
    digests = _digested(left, plan, "left").unionAll(_digested(right, plan, "right"))
    keys = [quoted_column(name) for name in key_names(plan)]
    # Most keys have two rows. Where rows are brought together before they are counted, nothing is
    # spent on counting those of one task first.
    of_right = count_where(F.col("_bits") < 0)
    by_key = (
        digests.repartition(*keys)
        .groupBy(*keys)
        .agg(
            (F.count(F.lit(1)) - of_right).alias(LEFT),
            of_right.alias(RIGHT),
            *(F.bit_xor(name).alias(name) for name in ("_one", "_other", "_bits")),
        )
    )
    observation, counts, alike = Observation(), _counts(plan), _alike() & ~key_has_null(plan)
    metrics = (column.alias(name) for name, column in counts.items())
    all_groups = None if _local(left.sparkSession) else Observation()
    if all_groups is not None:
        by_key = by_key.observe(all_groups, count_where(alike).alias("alike"))
    unlike = by_key.where(~alike).observe(observation, *metrics)
    suspects = unlike.where(~key_has_null(plan)).select(*keys, LEFT, RIGHT)
    with session_settings(left.sparkSession, large_grouping(left.sparkSession)):
        checkpoint = suspects.localCheckpoint()
        # A grouping without groups had no rows.
        numbers = observed_counts(observation, lambda: dict.fromkeys(counts, 0))
        if all_groups is not None:
            numbers |= observed_counts(all_groups, lambda: {"alike": 0})
        else:
            alike_count = _alike_groups(numbers, grouping_metrics(suspects))
            numbers["alike"] = by_key.where(alike).count() if alike_count is None else alike_count
    numbers["pairs"] += numbers["alike"]
    del numbers["null_groups"]
    columns = places_in(numbers.pop("bits"), len(plan.columns))
    return KeyTotals(numbers, checkpoint, columns, tuple(numbers.pop(name) for name in SIGNATURE))


def signatures(plan: ComparisonPlan, first: Column, second: Column) -> list[Column]:
    """Two bigints of a pair of rows, from its key and the difference of its digests.

    Those of many pairs are combined by exclusive or, in any order.
    """
    parts = [
        part
        for p, name in zip(plan.key, key_names(plan), strict=True)
        for part in hashable(quoted_column(name), p.form.type)
    ]
    return [F.xxhash64(F.lit(seed), *parts, first, second) for seed in (1, 2)]


def key_names(plan: ComparisonPlan) -> list[str]:
    """Names for the key's columns beside a row's own columns."""
    return [f"_key{i}" for i in range(len(plan.key))]


def key_columns(side: str, plan: ComparisonPlan) -> list[Column]:
    """The key of a side's row in its common form."""
    return [
        p.normalized(quoted_column(p.name), side).alias(name)
        for p, name in zip(plan.key, key_names(plan), strict=True)
    ]


def key_has_null(plan: ComparisonPlan) -> Column:
    """Whether a key has a null in it."""
    return reduce(Column.__or__, (quoted_column(name).isNull() for name in key_names(plan)))


def once_on_each_side() -> Column:
    """Whether a key is once on each side."""
    return (F.col(LEFT) == 1) & (F.col(RIGHT) == 1)


def duplicated() -> Column:
    """Whether a key is more than once on a side."""
    return (F.col(LEFT) > 1) | (F.col(RIGHT) > 1)


def key_struct(plan: ComparisonPlan) -> Column:
    """The key as one struct, with the left side's names of columns."""
    names = zip(key_names(plan), plan.key, strict=True)
    return F.struct(*(quoted_column(name).alias(p.name) for name, p in names)).alias("key")


def _local(spark: SparkSession) -> bool:
    """Whether all tasks run in the driver's process, whose shuffle files are not lost."""
    return re.fullmatch(r"local(\[.*\])?", str(spark.sparkContext.master)) is not None


def _alike_groups(others: Mapping[str, int], metrics: GroupingMetrics | None) -> int | None:
    """The number of groups of two rows that are not among `others`; None unless rows and groups add
    up.
    """
    if metrics is None or not metrics.rows:
        return None
    alike = metrics.groups - sum(others[name] for name in _GROUPS)
    rows = 2 * (others["pairs"] + alike) + sum(others[name] for name in _ROWS)
    return alike if alike >= 0 and rows == metrics.rows else None


def _digested(frame: DataFrame, plan: ComparisonPlan, side: str) -> DataFrame:
    values = {
        i: (p.in_common_form(quoted_column(p.name), side), p.form.type)
        for i, p in enumerate(plan.columns)
    }
    first, second, bits = digest_with_bits(values, len(values))
    # The sign belongs to no place, and marks the side.
    sign = F.lit(-(1 << 63) if side == "right" else 0).cast("bigint")
    return frame.select(
        *key_columns(side, plan),
        first.alias("_one"),
        second.alias("_other"),
        bits.bitwiseOR(sign).alias("_bits"),
    )


def _alike() -> Column:
    # Of one row on each side: the exclusive or of equal bits is 0.
    return once_on_each_side() & (F.col("_one") == 0) & (F.col("_other") == 0)


def _counts(plan: ComparisonPlan) -> dict[str, Column]:
    """Aggregates over keys that are not alike, and over rows with a null key."""
    left, right, null = F.col(LEFT), F.col(RIGHT), key_has_null(plan)
    several, pair = ~null & duplicated(), ~null & once_on_each_side()
    signs = signatures(plan, F.col("_one"), F.col("_other"))
    return {
        "pairs": count_where(pair),
        "only_left": count_where(~null & (left == 1) & (right == 0)),
        "only_right": count_where(~null & (left == 0) & (right == 1)),
        "duplicate_keys": count_where(several),
        "duplicate_keys_left": count_where(~null & (left > 1)),
        "duplicate_keys_right": count_where(~null & (right > 1)),
        "null_groups": count_where(null),
        "duplicated_rows_left": F.sum(F.when(several, left)),
        "duplicated_rows_right": F.sum(F.when(several, right)),
        "null_keys_left": F.sum(F.when(null, left)),
        "null_keys_right": F.sum(F.when(null, right)),
        "bits": F.bit_or(F.when(pair, F.col("_bits"))),
        **{name: F.bit_xor(F.when(pair, c)) for name, c in zip(SIGNATURE, signs, strict=True)},
    }
