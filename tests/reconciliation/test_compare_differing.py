"""Only columns that differ are read again, and none that differs is passed over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import Rules, compare
from cutline_reconciliation.compare.counts.column_differences import count_differences
from cutline_reconciliation.compare.counts.digest import digest_with_bits, places_in
from cutline_reconciliation.compare.counts.key_totals import count_keys
from cutline_reconciliation.compare.plan import plan_comparison

WIDE = 63
"""So many columns that one bit tells whether one of them differs."""


@given(st.integers(1, 63))
def test_each_place_has_bits_of_its_own(places: int) -> None:
    """Each bit but the sign tells of one place at most, and each place has some."""
    places_by_bit = [places_in(1 << bit, places) for bit in range(63)]
    assert all(len(one) <= 1 for one in places_by_bit)
    assert {place for one in places_by_bit for place in one} == set(range(places))
    assert places_in(-1, places) == tuple(range(places))
    assert places_in(0, places) == ()
    assert places_in(-(1 << 63), places) == ()


def test_more_places_than_bits_are_told_together() -> None:
    assert places_in(1 << 2, 131) == (2, 65, 128)


def nonzero_number(spark: SparkSession, place: int, *, detected: bool) -> int:
    """A number of which a column's bit tells, or does not tell, that it is not 0."""
    columns = {i: (F.lit(0).cast("bigint"), T.LongType()) for i in range(WIDE)}
    columns[place] = (F.col("id"), T.LongType())
    bits = digest_with_bits(columns, WIDE)[2]
    rows = spark.range(40).select("id", bits.alias("bits")).collect()
    return next(int(r["id"]) for r in rows[1:] if (r["bits"] != rows[0]["bits"]) is detected)


def wide(spark: SparkSession, rows: str) -> DataFrame:
    """Rows with a key `k`, the SQL of it given for each, and 63 columns of zeros."""
    keys = spark.sql(f"select explode(array({rows})) k")
    return keys.withColumns({f"c{i}": F.lit(0).cast("bigint") for i in range(WIDE)})


@pytest.mark.parametrize(
    ("keys", "moved"),
    [
        ("1, 2, 3", "k = 1"),
        # Keys that Spark's hash takes for one, so that a difference of both could cancel out.
        (
            "struct(1 a, null b), struct(null a, 1 b), struct(2 a, 2 b)",
            "k.a is null or k.b is null",
        ),
        ("array(1, null), array(null, 1), array(2)", "size(k) = 2"),
    ],
)
def test_a_difference_that_no_bit_tells_is_found(
    spark: SparkSession, keys: str, moved: str
) -> None:
    left, hit = wide(spark, keys), F.expr(moved)
    silent, loud = nonzero_number(spark, 1, detected=False), nonzero_number(spark, 0, detected=True)
    silently = left.withColumn("c1", F.when(hit, F.lit(silent)).otherwise(F.col("c1")))
    right = silently.withColumn("c0", F.when(~hit, F.lit(loud)).otherwise(F.col("c0")))
    plan = plan_comparison(left, right, ["k"], Rules())
    key_totals = count_keys(left, right, plan)
    assert key_totals.columns == (0,)
    rows = left.where(hit).count()
    counts = count_differences(left, right, plan, key_totals)
    assert (counts["changed"], counts["1/changed"]) == (3, rows)
    assert counts["0/changed"] == 3 - rows
    # Nothing at all is told where only such differences are there.
    assert count_keys(left, silently, plan).columns == ()
    assert compare(left, silently, ["k"]).columns["c1"].different == rows


@pytest.mark.parametrize(
    "rules_document", [{}, {"columns": {"b": {"tolerance": 1}, "c": {"trim": True}}}]
)
def test_columns_that_are_the_same_are_not_read_again(
    spark: SparkSession, rules_document: dict[str, Any]
) -> None:
    """The second job is done where reading an unlike column would fail."""
    rules = Rules.model_validate(rules_document)
    row = "id bigint, a string, b bigint, c string"
    left = spark.createDataFrame([(1, "x", 1, "y"), (2, "x", 1, "y"), (3, "x", 1, "y")], row)
    right = spark.createDataFrame([(1, "x", 2, "y"), (2, "x", 1, "y "), (4, "x", 1, "y")], row)
    plan = plan_comparison(left, right, ["id"], rules)
    key_totals = count_keys(left, right, plan)
    assert key_totals.columns == (1, 2)
    unread = [f.withColumn("a", F.raise_error(F.lit("read")).cast("string")) for f in (left, right)]
    counts = count_differences(unread[0], unread[1], plan, key_totals)
    kind = "forgiven" if rules_document else "changed"
    assert {k: counts[k] for k in ("1/changed", "1/forgiven", "2/changed", "2/forgiven", kind)} == {
        **dict.fromkeys(("1/changed", "2/changed", "1/forgiven", "2/forgiven"), 0),
        f"1/{kind}": 1, f"2/{kind}": 1, kind: 2,
    }  # fmt: skip


def test_nothing_is_read_again_where_no_pair_differs(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "x"), (2, "x"), (2, "y")], "id bigint, a string")
    right = spark.createDataFrame([(1, "x"), (3, "x")], "id bigint, a string")
    plan = plan_comparison(left, right, ["id"], Rules())
    key_totals = count_keys(left, right, plan)
    failing = left.withColumn("a", F.raise_error(F.lit("read")).cast("string"))
    assert count_differences(failing, failing, plan, key_totals) == {}


def test_details_are_not_made_in_another_zone(spark: SparkSession) -> None:
    """They are planned when they are read: the zone must be what it was."""
    comparison = compare(spark.sql("select 1 k, 1 v"), spark.sql("select 1 k, 2 v"), ["k"])
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        with pytest.raises(ConfigurationError, match="Europe/Berlin"):
            _ = comparison.details
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert comparison.details is not None
    assert comparison.details.count() == 1
