"""Independent pieces of Spark work side by side."""

from __future__ import annotations

import threading

import pytest
from pyspark.sql import SparkSession

from cutline.spark.together import side_by_side, together


def test_results_come_in_the_order_given(spark: SparkSession) -> None:
    work = [lambda n=n: spark.range(n).count() for n in range(9)]
    assert together(spark, work) == list(range(9))


def test_nothing_to_do(spark: SparkSession) -> None:
    assert together(spark, []) == []


def test_two_that_return_different_things_are_under_way_at_once(spark: SparkSession) -> None:
    both = threading.Barrier(2, timeout=30)

    def meet() -> str:
        both.wait()
        return "met"

    def count() -> int:
        both.wait()
        return spark.range(3).count()

    assert side_by_side(spark, meet, count) == ("met", 3)


def test_the_session_is_the_active_one_in_each(spark: SparkSession) -> None:
    def zone() -> str | None:
        active = SparkSession.getActiveSession()
        return None if active is None else active.conf.get("spark.sql.session.timeZone")

    assert together(spark, [zone, zone]) == ["UTC", "UTC"]


def test_all_come_to_an_end_before_the_first_error_is_raised(spark: SparkSession) -> None:
    ended: list[str] = []
    late = threading.Event()

    def slow_failure() -> int:
        late.wait(30)
        ended.append("slow")
        raise ValueError("the first, though it came last")

    def quick_failure() -> int:
        late.set()
        raise KeyError("the second")

    def works() -> int:
        ended.append("works")
        return spark.range(2).count()

    with pytest.raises(ValueError, match="the first"):
        together(spark, [slow_failure, quick_failure, works])
    assert sorted(ended) == ["slow", "works"]
