"""Only columns that differ are read again, and none that differs is passed over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline_reconciliation.compare import Rules, compare
from cutline_reconciliation.compare.differing import differing
from cutline_reconciliation.compare.digest import parted, parts
from cutline_reconciliation.compare.plan import plan
from cutline_reconciliation.compare.totals import totals

WIDE = 64
"""So many columns that one bit tells whether one of them differs."""


@given(st.integers(1, 64))
def test_each_place_has_bits_of_its_own(places: int) -> None:
    """Each of the 64 bits tells of one place at most, and each place has some."""
    told = [parted(1 << bit if bit < 63 else -(1 << 63), places) for bit in range(64)]
    assert all(len(one) <= 1 for one in told)
    assert {place for one in told for place in one} == set(range(places))
    assert parted(-1, places) == tuple(range(places))
    assert parted(0, places) == ()


def test_more_places_than_bits_are_told_together() -> None:
    assert parted(1 << 2, 131) == (2, 66, 130)


def silent(spark: SparkSession, place: int) -> list[int]:
    """Two numbers of which no bit tells that they differ, in a column of this place."""
    columns = {i: (F.lit(0), T.LongType()) for i in range(WIDE)}
    columns[place] = (F.col("id"), T.LongType())
    bits = spark.range(40).select("id", parts(columns).alias("bits")).collect()
    return [row["id"] for row in bits if row["bits"] == bits[0]["bits"]][:2]


def test_a_difference_that_no_bit_tells_is_found(spark: SparkSession) -> None:
    one, other = silent(spark, 1)
    ids = spark.range(20).withColumns({f"c{i}": F.lit(one) for i in range(WIDE)})
    hit = F.when(F.col("id") == 7, other).otherwise(F.col("c1"))
    moved = ids.withColumns({"c0": F.col("c0") + F.col("id"), "c1": hit})
    asked = plan(ids, moved, ["id"], Rules())
    found = totals(ids, moved, asked)
    assert found.columns == (0,)
    assert {k: n for k, n in differing(ids, moved, asked, found).items() if n and "/" in k} == {
        "0/changed": 19, "1/changed": 1,
    }  # fmt: skip
    # Nothing at all is told where only such differences are there.
    alone = ids.withColumn("c1", hit)
    assert totals(ids, alone, plan(ids, alone, ["id"], Rules())).columns == ()
    assert compare(ids, alone, ["id"]).columns["c1"].different == 1


@pytest.mark.parametrize("given", [{}, {"columns": {"b": {"tolerance": 1}, "c": {"trim": True}}}])
def test_columns_that_are_the_same_are_not_read_again(
    spark: SparkSession, given: dict[str, Any]
) -> None:
    """The second job is done where reading an unlike column would fail."""
    rules = Rules.model_validate(given)
    row = "id bigint, a string, b bigint, c string"
    left = spark.createDataFrame([(1, "x", 1, "y"), (2, "x", 1, "y"), (3, "x", 1, "y")], row)
    right = spark.createDataFrame([(1, "x", 2, "y"), (2, "x", 1, "y "), (4, "x", 1, "y")], row)
    asked = plan(left, right, ["id"], rules)
    found = totals(left, right, asked)
    assert found.columns == (1, 2)
    unread = [f.withColumn("a", F.raise_error(F.lit("read")).cast("string")) for f in (left, right)]
    told = differing(unread[0], unread[1], asked, found)
    kind = "forgiven" if given else "changed"
    assert {k: told[k] for k in ("1/changed", "1/forgiven", "2/changed", "2/forgiven", kind)} == {
        **dict.fromkeys(("1/changed", "2/changed", "1/forgiven", "2/forgiven"), 0),
        f"1/{kind}": 1, f"2/{kind}": 1, kind: 2,
    }  # fmt: skip


def test_nothing_is_read_again_where_no_pair_differs(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "x"), (2, "x"), (2, "y")], "id bigint, a string")
    right = spark.createDataFrame([(1, "x"), (3, "x")], "id bigint, a string")
    asked = plan(left, right, ["id"], Rules())
    found = totals(left, right, asked)
    failing = left.withColumn("a", F.raise_error(F.lit("read")).cast("string"))
    assert differing(failing, failing, asked, found) == {}
