"""Settings of a Spark session that hold for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

PARTITIONS = "spark.sql.adaptive.coalescePartitions.initialPartitionNum"
"""The partitions of an exchange, before Spark brings small ones together."""


def large_grouping(spark: SparkSession) -> dict[str, str]:
    """Settings for a grouping with about as many groups as rows.

    Spark's generated hash map, which is the quick one, serves the second half of a grouping too,
    and an exchange has so many partitions that one's groups fit into it: by itself Spark makes
    them few and large, and most groups go to its slow map.
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
    """Have these settings inside, and what there was before afterwards."""
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
