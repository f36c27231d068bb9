"""Independent pieces of Spark work side by side."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.spark.parallel import run_parallel, side_by_side


def test_results_come_in_the_order_given(spark: SparkSession) -> None:
    work = [lambda n=n: spark.range(n).count() for n in range(9)]
    assert run_parallel(spark, work) == list(range(9))


def test_nothing_to_do(spark: SparkSession) -> None:
    assert run_parallel(spark, []) == []


def test_two_that_return_different_things_are_under_way_at_once(spark: SparkSession) -> None:
    barrier = threading.Barrier(2, timeout=30)

    def meet() -> str:
        barrier.wait()
        return "met"

    def count() -> int:
        barrier.wait()
        return spark.range(3).count()

    assert side_by_side(spark, meet, count) == ("met", 3)


def test_the_session_is_the_active_one_in_each(spark: SparkSession) -> None:
    def zone() -> str | None:
        active = SparkSession.getActiveSession()
        return None if active is None else active.conf.get("spark.sql.session.timeZone")

    assert run_parallel(spark, [zone, zone]) == ["UTC", "UTC"]


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
        run_parallel(spark, [slow_failure, quick_failure, works])
    assert sorted(ended) == ["slow", "works"]


def active_jobs(spark: SparkSession, group: str | None) -> set[int]:
    """The jobs of a group that run; another worker may have some in the same JVM."""
    tracker = spark.sparkContext.statusTracker()
    return set(tracker.getJobIdsForGroup(group)) & set(tracker.getActiveJobsIds())


def test_an_interrupt_stops_what_runs_and_begins_nothing_more(spark: SparkSession) -> None:
    """When it is raised nothing is under way: the slice may be given to another process."""
    begun: list[int] = []
    group = spark.sparkContext.getLocalProperty("spark.jobGroup.id")

    def endless(number: int) -> int:
        begun.append(number)
        return int(spark.range(2 * 10**8).agg(F.sum(F.col("id") % 7)).collect()[0][0])

    def interrupt() -> None:
        while not active_jobs(spark, group):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=interrupt)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        run_parallel(spark, [lambda n=n: endless(n) for n in range(9)])
    pressing.join()
    assert len(begun) <= 4
    assert not [t.name for t in threading.enumerate() if t.name.startswith("cutline_")]
    assert not active_jobs(spark, group)
