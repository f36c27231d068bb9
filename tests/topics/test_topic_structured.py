"""Events in the structured mode of CloudEvents' Kafka binding."""

from __future__ import annotations

import json

from pyspark.sql import SparkSession

from cutline.topics.structured import structured

HEADERS = {
    "ce_specversion": "1.0",
    "ce_id": "e-1",
    "ce_type": 'Order"Placed"',
    "ce_migreplaysafe": "false",
    "content-type": "application/json",
    "migrunid": "run-1",
}


def test_the_event_is_the_value(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [("k", HEADERS, '{"n":1.50}'), ("k", HEADERS, None)],
        "key string, headers map<string,string>, value string",
    )
    event, tombstone = structured(rows).collect()
    assert json.loads(event["value"]) == {
        "specversion": "1.0",
        "id": "e-1",
        "type": 'Order"Placed"',
        "migreplaysafe": False,
        "datacontenttype": "application/json",
        "data": {"n": 1.5},
    }
    assert '"data":{"n":1.50}' in event["value"], "numbers stay as they are written"
    assert event["headers"] == HEADERS | {"content-type": "application/cloudevents+json"}
    assert (tombstone["value"], tombstone["headers"]) == (None, HEADERS)
