"""Live events whose names no database keeps are put aside, as any database can."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import SparkSession

from cutline.feed.offered import RECORD_DDL, offered_of, records_of_texts
from cutline.topics.cloudevents import UNREADABLE
from support.fed import CONTEXT, REGION, ordered


def test_a_name_with_a_null_character_is_of_no_event(spark: SparkSession) -> None:
    of_a_source: dict[str, Any] = ordered("e4", 8)
    of_a_source["headers"]["ce_source"] = "urn:\0"
    records = [ordered("e1", 8), ordered("e\0", 8), ordered("e3", 8, "o\0"), of_a_source]
    rows = [
        ("t", 0, n, n, None, r["key"], r["headers"], json.dumps(r["value"]), None)
        for n, r in enumerate(records)
    ]
    events, unreadable = offered_of(
        spark.createDataFrame(rows, RECORD_DDL), CONTEXT, REGION, REGION
    )
    assert [event.id for event in events] == ["e1"]
    assert [(r.position, r.rule, r.named_subject) for r in unreadable] == [
        (1, UNREADABLE, "o1"),
        (2, UNREADABLE, "o\\u0000"),
        (3, UNREADABLE, "o1"),
    ]
    stored_texts = [text for r in unreadable for text in (r.reason, r.record)]
    assert not any("\0" in text for text in stored_texts)
    # Whoever admits one finds it as it was.
    [again] = records_of_texts(spark, [unreadable[1].record]).collect()
    assert again["headers"]["ce_subject"] == "o\0"
