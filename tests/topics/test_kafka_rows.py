"""Records as rows that go to their slots."""

from __future__ import annotations

import datetime as dt

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.topics.kafka.rows import OUTGOING, outgoing
from cutline.topics.murmur2 import partition

DDL = (
    "topic string, key string, headers map<string,string>, value string, timestamp timestamp, "
    "ordinal int"
)
MOMENT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)


def records(spark: SparkSession, *rows: tuple[object, ...]) -> DataFrame:
    whole = [(t, k, {"ce_id": str(i)}, v, MOMENT, i) for t, k, v, i in rows]
    return spark.createDataFrame(whole, DDL)


def test_each_spark_partition_is_a_slot_in_order(spark: SparkSession) -> None:
    rows = [("b" if i % 3 else "a", f"k{i % 5}", f"{i}", 90 - i) for i in range(60)]
    sent = outgoing(records(spark, *rows), "run-1", ["a", "b"], ("ordinal",), 4)
    assert sent.columns == list(OUTGOING)
    placed = sent.withColumn("place", F.spark_partition_id()).collect()
    assert {row["slot"] == row["place"] for row in placed} == {True}
    for row in placed:
        topic = "ab"[row["slot"] // 4]
        value = int(bytes(row["value"]))
        assert rows[value][0] == topic
        assert partition(bytes(row["key"]).decode(), 4) == row["slot"] % 4
        assert bytes(row["headers"]["migrunid"]) == b"run-1"
        assert row["millis"] == round(MOMENT.timestamp() * 1000)
    for number in range(8):
        keys_and_places = [
            (bytes(r["key"]), -int(bytes(r["value"]))) for r in placed if r["slot"] == number
        ]
        assert keys_and_places == sorted(keys_and_places)


def test_the_same_records_are_the_same_sequence(spark: SparkSession) -> None:
    rows = [("a", "k", '{"n":1}', 1), ("a", "k", '{"n":2}', 1), ("a", None, None, 1)]
    forward = outgoing(records(spark, *rows), "r", ["a"], ("ordinal",), 2).collect()
    backward = outgoing(records(spark, *reversed(rows)), "r", ["a"], ("ordinal",), 2).collect()
    assert forward == backward
    assert len({row["hash"] for row in forward}) == 3


def test_a_record_for_another_topic_fails(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="a record for another topic: c"):
        outgoing(records(spark, ("c", "k", "1", 1)), "r", ["a"], (), 2).collect()
