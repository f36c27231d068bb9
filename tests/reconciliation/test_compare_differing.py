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
    told = [places_in(1 << bit, places) for bit in range(63)]
    assert all(len(one) <= 1 for one in told)
    assert {place for one in told for place in one} == set(range(places))
    assert places_in(-1, places) == tuple(range(places))
    assert places_in(0, places) == ()
    assert places_in(-(1 << 63), places) == ()


def test_more_places_than_bits_are_told_together() -> None:
    assert places_in(1 << 2, 131) == (2, 65, 128)


def another(spark: SparkSession, place: int, *, told: bool) -> int:
    """A number of which a column's bit tells, or does not tell, that it is not 0."""
    columns = {i: (F.lit(0).cast("bigint"), T.LongType()) for i in range(WIDE)}
    columns[place] = (F.col("id"), T.LongType())
    told_by = digest_with_bits(columns, WIDE)[2]
    rows = spark.range(40).select("id", told_by.alias("bits")).collect()
    return next(int(r["id"]) for r in rows[1:] if (r["bits"] != rows[0]["bits"]) is told)


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
    silent, loud = another(spark, 1, told=False), another(spark, 0, told=True)
    silently = left.withColumn("c1", F.when(hit, F.lit(silent)).otherwise(F.col("c1")))
    right = silently.withColumn("c0", F.when(~hit, F.lit(loud)).otherwise(F.col("c0")))
    asked = plan_comparison(left, right, ["k"], Rules())
    found = count_keys(left, right, asked)
    assert found.columns == (0,)
    rows = left.where(hit).count()
    told = count_differences(left, right, asked, found)
    assert (told["changed"], told["1/changed"]) == (3, rows)
    assert told["0/changed"] == 3 - rows
    # Nothing at all is told where only such differences are there.
    assert count_keys(left, silently, asked).columns == ()
    assert compare(left, silently, ["k"]).columns["c1"].different == rows


@pytest.mark.parametrize("given", [{}, {"columns": {"b": {"tolerance": 1}, "c": {"trim": True}}}])
def test_columns_that_are_the_same_are_not_read_again(
    spark: SparkSession, given: dict[str, Any]
) -> None:
    """The second job is done where reading an unlike column would fail."""
    rules = Rules.model_validate(given)
    row = "id bigint, a string, b bigint, c string"
    left = spark.createDataFrame([(1, "x", 1, "y"), (2, "x", 1, "y"), (3, "x", 1, "y")], row)
    right = spark.createDataFrame([(1, "x", 2, "y"), (2, "x", 1, "y "), (4, "x", 1, "y")], row)
    asked = plan_comparison(left, right, ["id"], rules)
    found = count_keys(left, right, asked)
    assert found.columns == (1, 2)
    unread = [f.withColumn("a", F.raise_error(F.lit("read")).cast("string")) for f in (left, right)]
    told = count_differences(unread[0], unread[1], asked, found)
    kind = "forgiven" if given else "changed"
    assert {k: told[k] for k in ("1/changed", "1/forgiven", "2/changed", "2/forgiven", kind)} == {
        **dict.fromkeys(("1/changed", "2/changed", "1/forgiven", "2/forgiven"), 0),
        f"1/{kind}": 1, f"2/{kind}": 1, kind: 2,
    }  # fmt: skip


def test_nothing_is_read_again_where_no_pair_differs(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "x"), (2, "x"), (2, "y")], "id bigint, a string")
    right = spark.createDataFrame([(1, "x"), (3, "x")], "id bigint, a string")
    asked = plan_comparison(left, right, ["id"], Rules())
    found = count_keys(left, right, asked)
    failing = left.withColumn("a", F.raise_error(F.lit("read")).cast("string"))
    assert count_differences(failing, failing, asked, found) == {}


def test_details_are_not_made_in_another_zone(spark: SparkSession) -> None:
    """They are planned when they are read: the zone must be what it was."""
    found = compare(spark.sql("select 1 k, 1 v"), spark.sql("select 1 k, 2 v"), ["k"])
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        with pytest.raises(ConfigurationError, match="Europe/Berlin"):
            _ = found.details
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert found.details is not None
    assert found.details.count() == 1
