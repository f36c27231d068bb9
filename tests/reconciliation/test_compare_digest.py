"""What digests rest on: how Spark hashes numbers, and that null is told from each of them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline_reconciliation.compare import Rules, compare
from cutline_reconciliation.compare.counts.digest import digest
from cutline_reconciliation.compare.counts.multiset import signed_rows
from cutline_reconciliation.compare.plan import plan_comparison

P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)  # fmt: skip
BITS = (1 << 64) - 1


def turned(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & BITS


def unshifted(value: int, by: int) -> int:
    """What gives `value` by `x ^= x >> by`."""
    preimage = value
    for _ in range(64 // by):
        preimage = value ^ preimage >> by
    return preimage


def hashed_to(wanted: int, seed: int) -> int:
    """The one number of 64 bits that xxHash takes to `wanted` with this seed."""
    back = unshifted(wanted & BITS, 32) * pow(P3, -1, 1 << 64) & BITS
    back = unshifted(back, 29) * pow(P2, -1, 1 << 64) & BITS
    back = (unshifted(back, 33) - P4) * pow(P1, -1, 1 << 64) & BITS
    back = turned(back, 64 - 27) ^ (seed + P5 + 8 & BITS)
    unsigned = turned(back * pow(P1, -1, 1 << 64) & BITS, 64 - 31) * pow(P2, -1, 1 << 64) & BITS
    return unsigned - (1 << 64) if unsigned >> 63 else unsigned


def test_the_number_that_shares_a_hash_with_null_is_told_from_it(spark: SparkSession) -> None:
    seed = spark.range(1).select(F.xxhash64(F.lit(0))).first()
    assert seed is not None
    twin = hashed_to(seed[0], seed[0])
    left = spark.createDataFrame([(1, twin)], "k int, v bigint")
    right = spark.createDataFrame([(1, None)], "k int, v bigint")
    hashes = left.unionAll(right).select(F.xxhash64(F.lit(0), "v")).distinct()
    assert hashes.count() == 1  # one hash, of which the second must not be made alone
    comparison = compare(left, right, ["k"])
    assert (comparison.changed, comparison.columns["v"].different) == (1, 1)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("true", "1"),
        ("-7Y", "-7"),
        ("-7S", "-7"),
        ("date'1969-12-30'", "-2"),
        ("timestamp'1970-01-01 00:00:01.000002'", "1000002L"),
        ("timestamp_ntz'1970-01-01 00:00:01.000002'", "1000002L"),
        ("1234567890123456.78BD", "123456789012345678L"),
        ("cast(1.5 as float)", str(0x3FC00000)),
        ("1.5D", f"{0x3FF8000000000000}L"),
    ],
)
def test_spark_hashes_a_short_value_as_one_number(
    spark: SparkSession, value: str, number: str
) -> None:
    """So no two of a type share a hash, and one hash tells all of them."""
    frame = spark.range(1).select(
        F.expr(f"xxhash64(0, {value}) = xxhash64(0, {number})"), F.expr(value).alias("value")
    )
    row = frame.first()
    assert row is not None
    assert row[0]
    kind = frame.schema["value"].dataType
    halves = digest({0: (F.col("value"), kind)})
    second = frame.select(halves[1] == F.xxhash64(F.xxhash64(F.lit(0), "value"))).first()
    assert second is not None
    assert second[0]


def test_a_long_value_is_hashed_twice(spark: SparkSession) -> None:
    long_values = spark.sql("select 'a text' t, 1234567890123456789012.34BD d, array(1) a")
    for i, field in enumerate(long_values.schema):
        halves = digest({i: (F.col(field.name), field.dataType)})
        row = long_values.select(halves[1] == F.xxhash64(halves[0])).first()
        assert row is not None
        assert not row[0]


def test_what_a_rule_makes_wider_is_hashed_twice(spark: SparkSession) -> None:
    rows = spark.sql("select 1 k, 1234567890123456.78BD v")
    rounding = Rules.model_validate({"columns": {"v": {"round": 2}}})
    for rules, once in ((Rules(), True), (rounding, False)):
        signed = signed_rows(rows, plan_comparison(rows, rows, ["k"], rules), "left")
        row = signed.select(F.col("_other") == F.xxhash64("_one")).first()
        assert row is not None
        assert row[0] is once
