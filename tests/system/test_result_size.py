"""No job may bring many rows to the driver. A whole run stays below a smaller limit than that of
a session: `tests/spark/test_on_cluster.py`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

LIMIT = "spark.driver.maxResultSize"


@contextlib.contextmanager
def limited(spark: SparkSession, size: str) -> Iterator[None]:
    """What the tasks of one job may bring to the driver, until the block ends."""
    # Spark asks its own copy of the configuration anew for each job, and shows others a copy.
    settings: Any = spark.sparkContext._jsc.sc().conf()
    before = settings.get(LIMIT)
    settings.set(LIMIT, size)
    try:
        yield
    finally:
        settings.set(LIMIT, before)


def test_a_session_has_a_limit(spark: SparkSession) -> None:
    assert spark.sparkContext.getConf().get(LIMIT) == "256m"


def test_the_limit_is_felt(spark: SparkSession) -> None:
    rows = spark.range(200_000).selectExpr("repeat(uuid(), 2) AS text")
    with (
        limited(spark, "8m"),
        pytest.raises(Exception, match=r"maxResultSize|bigger than") as error,
    ):
        rows.collect()
    assert isinstance(error.value, Py4JJavaError) or "maxResultSize" in str(error.value)
