"""Spark's log is off while somebody asks for it, and then as it was."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession

from cutline.spark.quiet_log import quiet_log


def level(spark: SparkSession) -> str:
    jvm = spark._jvm
    assert jvm is not None
    return str(jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().name())


def test_the_level_is_given_back_when_something_fails(spark: SparkSession) -> None:
    before = level(spark)
    with pytest.raises(ZeroDivisionError), quiet_log(spark):
        raise ZeroDivisionError
    assert level(spark) == before != "OFF"


def test_the_last_of_several_threads_gives_the_level_back(spark: SparkSession) -> None:
    """The first to come leaves first: the other, which found OFF, gives back what was before."""
    before = level(spark)
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

    def first() -> None:
        with quiet_log(spark):
            first_in.set()
            assert second_in.wait(60)

    def second() -> str:
        assert first_in.wait(60)
        with quiet_log(spark):
            second_in.set()
            assert first_out.wait(60)
            return level(spark)

    with ThreadPoolExecutor(2) as pool:
        leaving, staying = pool.submit(first), pool.submit(second)
        leaving.result(60)
        first_out.set()
        assert staying.result(60) == "OFF"
    assert level(spark) == before
