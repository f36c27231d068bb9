"""Partitions as Java producers choose them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.topics.murmur2 import murmur2, partition, partition_of

# From Apache Kafka's own UtilsTest.
KAFKA = {
    "21": -973932308,
    "foobar": -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    "abc": 479470107,
}


@pytest.mark.parametrize(("key", "expected"), KAFKA.items())
def test_kafkas_own_examples(key: str, expected: int) -> None:
    assert murmur2(key.encode()) == expected


@pytest.mark.parametrize(("key", "expected"), KAFKA.items())
def test_a_partition_is_the_hash_without_its_sign_bit(key: str, expected: int) -> None:
    assert partition(key, 2**31 - 1) == (expected & 0x7FFFFFFF) % (2**31 - 1)
    assert partition(key, 1) == 0


@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.reuse, Phase.generate],  # one example is a Spark job of many keys
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(st.text(), min_size=60, max_size=60), st.integers(1, 1024))
def test_spark_chooses_as_python_does(
    spark: SparkSession, keys: list[str], partitions: int
) -> None:
    keys += [*KAFKA, "", "é", "\U0001f600" * 7, "\x00\x00\x00\x00", "x" * 1001]
    rows = spark.createDataFrame([(k,) for k in [*keys, None]], "key string")
    chosen = rows.select(partition_of(F.col("key"), partitions)).collect()
    assert [r[0] for r in chosen] == [partition(k, partitions) for k in keys] + [None]
