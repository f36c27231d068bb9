"""The first job: each key in a class, by digests of its rows; those to look at are set aside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cutline_reconciliation.compare.columns.names import named
from cutline_reconciliation.compare.counts.digest import digest_with_bits, hashable, places_in
from cutline_reconciliation.compare.counts.grouped import Grouped, grouped
from cutline_reconciliation.compare.counts.observed import count_where, seen
from cutline_reconciliation.compare.counts.settings import large_grouping, settings
from cutline_reconciliation.compare.plan import Plan

LEFT, RIGHT = "_left", "_right"
SIGNATURE = "signed_one", "signed_other"
_FEW = 2_000_000
_GROUPS = "pairs", "only_left", "only_right", "duplicate_keys", "null_groups"
_ROWS = (
    "only_left", "only_right", "duplicated_rows_left", "duplicated_rows_right", "null_keys_left",
    "null_keys_right",
)  # fmt: skip


@dataclass(frozen=True)
class Totals:
    """What the first job counts.

    `counts`: `alike` (keys once on each side whose rows have one digest), `pairs` (once on each
    side), `only_left`, `only_right`, `duplicate_keys` of either side, `duplicate_keys_left`,
    `duplicate_keys_right`, `duplicated_rows_left`, `duplicated_rows_right`, and rows with a null in
    the key, `null_keys_left` and `null_keys_right`.
    `suspects` has one row per key that is not `alike`: the key in its common form, and how often it
    is on each side in `_left` and `_right`.
    `columns` are the places of columns of which a bit differs in one of the pairs that are not
    alike. Where all that differs in these pairs is in these columns, their digests give `signature`
    again.
    """

    counts: Mapping[str, int]
    suspects: DataFrame
    columns: tuple[int, ...]
    signature: tuple[int, ...]


def totals(left: DataFrame, right: DataFrame, plan: Plan) -> Totals:
    """Compare all rows by key and digest: one job with one exchange, of keys and digests alone."""
    both = _digested(left, plan, "left").unionAll(_digested(right, plan, "right"))
    keys = [named(name) for name in key_names(plan)]
    # Most keys have two rows. Where rows are brought together before they are counted, nothing is
    # spent on counting those of one task first.
    of_right = count_where(F.col("_bits") < 0)
    by_key = (
        both.repartition(*keys)
        .groupBy(*keys)
        .agg(
            (F.count(F.lit(1)) - of_right).alias(LEFT),
            of_right.alias(RIGHT),
            *(F.bit_xor(name).alias(name) for name in ("_one", "_other", "_bits")),
        )
    )
    observation, counts, alike = Observation(), _counts(plan), _alike() & ~no_key(plan)
    told = (column.alias(name) for name, column in counts.items())
    every = None if _local(left.sparkSession) else Observation()
    if every is not None:
        by_key = by_key.observe(every, count_where(alike).alias("alike"))
    rest = by_key.where(~alike).observe(observation, *told)
    suspects = rest.where(~no_key(plan)).select(*keys, LEFT, RIGHT)
    with settings(left.sparkSession, large_grouping(left.sparkSession)):
        kept = suspects.localCheckpoint()
        # Where no row comes out of the grouping, none went into it.
        found = seen(observation, lambda: dict.fromkeys(counts, 0))
        if every is not None:
            found |= seen(every, lambda: {"alike": 0})
        else:
            known = _left_out(found, grouped(suspects))
            found["alike"] = by_key.where(alike).count() if known is None else known
    found["pairs"] += found["alike"]
    del found["null_groups"]
    columns = places_in(found.pop("bits"), len(plan.columns))
    return Totals(found, kept, columns, tuple(found.pop(name) for name in SIGNATURE))


def signatures(plan: Plan, one: Column, other: Column) -> list[Column]:
    """Two bigints of a pair of rows, from its key and the difference of its digests. Those of many
    pairs are taken together by exclusive or, whatever their order."""
    parts = [
        part
        for p, name in zip(plan.key, key_names(plan), strict=True)
        for part in hashable(named(name), p.form.type)
    ]
    return [F.xxhash64(F.lit(seed), *parts, one, other) for seed in (1, 2)]


def sent(keys: DataFrame, count: int) -> DataFrame:
    """So many keys, to be joined with rows: a few million are sent to where the rows are; more of
    them are met half-way."""
    return F.broadcast(keys) if count <= _FEW else keys


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


def once() -> Column:
    """Whether a key is once on each side."""
    return (F.col(LEFT) == 1) & (F.col(RIGHT) == 1)


def doubled() -> Column:
    """Whether a key is more than once on a side."""
    return (F.col(LEFT) > 1) | (F.col(RIGHT) > 1)


def key(plan: Plan) -> Column:
    """The key as one struct, its fields called as on the left."""
    names = zip(key_names(plan), plan.key, strict=True)
    return F.struct(*(named(name).alias(p.name) for name, p in names)).alias("key")


def _local(spark: SparkSession) -> bool:
    """Whether all tasks run in the driver's own process, which does not lose what they made."""
    return re.fullmatch(r"local(\[.*\])?", str(spark.sparkContext.master)) is not None


def _left_out(rest: Mapping[str, int], made: Grouped | None) -> int | None:
    """How many groups `rest` does not have, each of two rows; None unless rows and groups agree."""
    if made is None or not made.rows:
        return None
    alike = made.groups - sum(rest[name] for name in _GROUPS)
    rows = 2 * (rest["pairs"] + alike) + sum(rest[name] for name in _ROWS)
    return alike if alike >= 0 and rows == made.rows else None


def _digested(frame: DataFrame, plan: Plan, side: str) -> DataFrame:
    values = {i: (p.plain(named(p.name), side), p.form.type) for i, p in enumerate(plan.columns)}
    one, other, bits = digest_with_bits(values, len(values))
    # The sign, which is no place's, tells the side.
    sign = F.lit(-(1 << 63) if side == "right" else 0).cast("bigint")
    return frame.select(
        *keyed(side, plan),
        one.alias("_one"),
        other.alias("_other"),
        bits.bitwiseOR(sign).alias("_bits"),
    )


def _alike() -> Column:
    # Of one row on each side: what is the same is nothing, taken together by exclusive or.
    return once() & (F.col("_one") == 0) & (F.col("_other") == 0)


def _counts(plan: Plan) -> dict[str, Column]:
    """Of the keys that are not alike, and of rows without a key."""
    left, right, null = F.col(LEFT), F.col(RIGHT), no_key(plan)
    several, pair = ~null & doubled(), ~null & once()
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
