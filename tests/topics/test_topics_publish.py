"""Exceptions, breaks and state as records of topics."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cutline.identity import event_id
from cutline.tables import BREAKS, EXCEPTIONS, Table
from cutline.topics.publish import (
    Teller,
    break_records,
    exception_records,
    state_records,
    tombstone_records,
)

TELLER = Teller("shop", "north", "run-1", dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC))


def frame(spark: SparkSession, table: Table, *rows: dict[str, Any]) -> DataFrame:
    ddl = ", ".join(f"`{c.name}` {c.type}" for c in table.columns)
    return spark.createDataFrame([tuple(r.get(n) for n in table.names) for r in rows], ddl)


def told(records: DataFrame) -> list[dict[str, Any]]:
    assert records.columns == ["key", "headers", "value", "timestamp"]
    rows = [row.asDict() for row in records.collect()]
    return [row | {"value": json.loads(row["value"])} for row in rows]


BREAK = {"level": "state", "name": "order", "subject": "SO-1", "kind": "different"}


def test_a_break_is_an_event_keyed_by_its_subject(spark: SparkSession) -> None:
    given = BREAK | {"column": "cents", "legacy": "1", "new": None, "amount": Decimal("1.5")}
    (record,) = told(break_records(frame(spark, BREAKS, given), TELLER))
    occurrence = '["state","order","different","cents","1",null]'
    assert record["key"] == "SO-1"
    assert record["value"] == dict.fromkeys(BREAKS.names) | given | {"amount": "1.500000"}
    assert record["headers"] == {
        "ce_id": event_id("urn:cutline:shop", "shop", "break-found", "SO-1", occurrence, 1),
        "ce_migcontext": "shop",
        "ce_migregion": "north",
        "ce_migrunid": "run-1",
        "ce_source": "urn:cutline:shop",
        "ce_specversion": "1.0",
        "ce_subject": "SO-1",
        "ce_time": "2026-11-01T06:00:00.000000Z",
        "ce_type": "break-found",
        "content-type": "application/json",
    }


def test_what_is_found_again_by_another_run_has_the_same_id(spark: SparkSession) -> None:
    breaks = frame(spark, BREAKS, BREAK, BREAK | {"kind": "missing"})
    later = Teller("shop", "north", "run-2", dt.datetime(2026, 12, 1, tzinfo=dt.UTC))
    first, again = (
        [r["headers"]["ce_id"] for r in told(break_records(breaks, teller))]
        for teller in (TELLER, later)
    )
    assert first == again
    assert len(set(first)) == 2


def test_an_exception_without_a_subject_is_keyed_by_what_is_known(spark: SparkSession) -> None:
    base = {"rule": "unread", "level": "source-row", "reason": "It cannot be read."}
    rows = (
        base | {"subject": "SO-1", "key": '["1"]', "payload": '{"a":"\u202e"}'},
        base | {"key": '["2"]'},
        base | {"payload": "7;;"},
        base | {"payload": "8;;"},
    )
    records = told(exception_records(frame(spark, EXCEPTIONS, *rows), TELLER))
    assert [r["key"] for r in records] == ["SO-1", '["2"]', "unread", "unread"]
    assert [r["headers"].get("ce_subject") for r in records] == ["SO-1", None, None, None]
    assert [r["value"]["payload"] for r in records] == ['{"a":"\u202e"}', None, "7;;", "8;;"]
    assert len({r["headers"]["ce_id"] for r in records}) == 4


def test_state_is_told_whole(spark: SparkSession) -> None:
    ddl = (
        "subject string, cents bigint, paid decimal(12,2), needs array<struct<q:bigint,sku:string>>"
    )
    state = spark.createDataFrame([("SO-1", 5, Decimal("1.10"), [(2, "A")])], ddl)
    (record,) = told(state_records(state, "order", TELLER))
    assert record["key"] == "SO-1"
    assert record["headers"]["ce_type"] == "state-projected"
    assert record["value"] == {
        "subject": "SO-1",
        "cents": 5,
        "paid": "1.10",
        "needs": [{"q": 2, "sku": "A"}],
    }


def test_an_ended_subject_is_told_without_a_value(spark: SparkSession) -> None:
    gone = spark.createDataFrame([("SO-1",)], "subject string")
    [row] = tombstone_records(gone, "order", TELLER).collect()
    assert (row["key"], row["value"]) == ("SO-1", None)
    assert (row["headers"]["ce_type"], row["headers"]["ce_subject"]) == ("state-ended", "SO-1")
    [state] = state_records(gone, "order", TELLER).collect()
    assert row["headers"]["ce_id"] != state["headers"]["ce_id"]
