"""Temporary settings of a Spark session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

PARTITIONS = "spark.sql.adaptive.coalescePartitions.initialPartitionNum"
"""The number of partitions of an exchange before small ones are coalesced."""


def large_grouping(spark: SparkSession) -> dict[str, str]:
    """Settings for a grouping with about as many groups as rows.

    Spark's generated hash map, the fast one, also serves the second half of the grouping, and an
    exchange has so many partitions that the groups of each fit into it. By default partitions are
    few and large, and most groups go to the slow map.
    """
    wanted = spark.conf.get(PARTITIONS, None) or spark.conf.get("spark.sql.shuffle.partitions")
    return {
        "spark.sql.codegen.aggregate.map.twolevel.partialOnly": "false",
        "spark.sql.codegen.aggregate.fastHashMap.capacityBit": "18",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16m",
        PARTITIONS: str(max(32, int(str(wanted)))),
    }


@contextmanager
def session_settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """A context manager in which the session has these settings."""
    before = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value_before in before.items():
            if value_before is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value_before)
