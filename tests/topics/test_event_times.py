"""Topics and replays read the times of events that a consumer reads, and no others."""

from __future__ import annotations

import datetime as dt

import pytest
from pyspark.sql import SparkSession

from cutline.consumer.attributes import read_time
from cutline.topics.cloudevents import fault_of_time, time_of

pytestmark = pytest.mark.spark
TEXTS = (
    "2024-11-01T06:00:00Z",
    "2024-11-01t06:00:00z",
    "2024-11-01T06:00:00.123456789Z",
    "2024-11-01T06:00:00+05:30",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "0000-01-01T00:00:00Z",
    "2024-11-31T06:00:00Z",
    "2024-11-01T23:59:60Z",
    "2024-11-01T06:00:00",
    "2024-11-01 06:00:00Z",
    " 2024-11-01T06:00:00Z",
    "20241101T060000Z",
    "2024-11-01",
    "2024",
    "06:00:00",
    "",
)


def by_consumer(text: str) -> tuple[dt.datetime | None, str | None]:
    try:
        return read_time(text).replace(tzinfo=None), None
    except ValueError as error:
        return None, f"its ce_time {error}"


def test_a_time_is_what_a_consumer_reads(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(text,) for text in TEXTS], "text string")
    moment = time_of(frame.text).cast("string")
    read = {
        row[0]: (row[1], row[2])
        for row in frame.select("text", moment, fault_of_time(frame.text)).collect()
    }
    expected = {text: by_consumer(text) for text in TEXTS}
    assert {t: fault for t, (_, fault) in read.items()} == {t: f for t, (_, f) in expected.items()}
    moments = {t: at and dt.datetime.fromisoformat(at) for t, (at, _) in read.items()}
    assert moments == {t: at for t, (at, _) in expected.items()}
