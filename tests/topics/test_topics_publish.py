"""Exceptions, breaks and state as records of topics."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cutline.identity import event_id
from cutline.tables import BREAK_HISTORY, EXCEPTION_HISTORY, Table
from cutline.topics.headers import with_header_map
from cutline.topics.publish import EventSource, breaks, exceptions, records, states, tombstones

TELLER = EventSource("shop", "north", "run-1", dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC))


def frame(spark: SparkSession, table: Table, *rows: dict[str, Any]) -> DataFrame:
    ddl = ", ".join(f"`{c.name}` {c.type}" for c in table.columns)
    return spark.createDataFrame([tuple(r.get(n) for n in table.names) for r in rows], ddl)


def published_records(news: DataFrame, teller: EventSource = TELLER) -> list[dict[str, Any]]:
    outgoing = records(news, teller)
    assert outgoing.columns == ["id", "topic", "key", "headers", "value", "timestamp"]
    rows = [row.asDict() for row in with_header_map(outgoing).collect()]
    return [row | {"value": json.loads(row["value"])} for row in rows]


BREAK = {"id": "b-1", "level": "state", "name": "order", "subject": "SO-1", "kind": "different"}
NEW = {"state": "opened", "openings": 1, "first_seen_run": "run-1", "last_seen_run": "run-1"}


def test_a_break_is_an_event_keyed_by_its_subject(spark: SparkSession) -> None:
    opened = BREAK | NEW | {"column": "cents", "legacy": "1", "amount": Decimal("1.5")}
    (record,) = published_records(breaks(frame(spark, BREAK_HISTORY, opened), "b", "run-1"))
    assert record["key"] == "SO-1"
    expected = dict.fromkeys(BREAK_HISTORY.names) | opened | {"amount": "1.500000"}
    assert record["value"] == expected
    assert record["headers"] == {
        "ce_id": event_id("urn:cutline:shop", "shop", "break-opened", "SO-1", '["b-1",1]', 1),
        "ce_migcontext": "shop",
        "ce_migregion": "north",
        "ce_migrunid": "run-1",
        "ce_source": "urn:cutline:shop",
        "ce_specversion": "1.0",
        "ce_subject": "SO-1",
        "ce_time": "2026-11-01T06:00:00.000000Z",
        "ce_type": "break-opened",
        "content-type": "application/json",
    }


def test_only_a_change_of_state_is_told_and_each_has_an_id_of_its_own(spark: SparkSession) -> None:
    def life(subject: str, state: str, openings: int, fixed_run: str | None = None) -> Any:
        return BREAK | {
            "id": "b-1",
            "subject": subject,
            "state": state,
            "openings": openings,
            "fixed_run": fixed_run,
        }

    histories = {
        "run-1": life("A", "opened", 1),
        "run-2": life("A", "persisting", 1),
        "run-3": life("A", "fixed", 1, "run-3"),
        "run-4": life("A", "fixed", 1, "run-3"),
        "run-5": life("A", "reopened", 2),
        "run-6": life("A", "persisting", 2),
        "run-7": life("A", "fixed", 2, "run-7"),
    }
    news = {}
    for run_id, row in histories.items():
        teller = EventSource("shop", "north", run_id, dt.datetime(2026, 12, 1, tzinfo=dt.UTC))
        published = published_records(breaks(frame(spark, BREAK_HISTORY, row), "b", run_id), teller)
        assert {r["key"] for r in published} <= {"A"}
        for record in published:
            news[run_id] = (record["headers"]["ce_type"], record["headers"]["ce_id"])
    assert {run_id: type_ for run_id, (type_, _) in news.items()} == {
        "run-1": "break-opened",
        "run-3": "break-fixed",
        "run-5": "break-reopened",
        "run-7": "break-fixed",
    }
    assert len({id_ for _, id_ in news.values()}) == 4
    again = EventSource("shop", "north", "another", dt.datetime(2027, 1, 1, tzinfo=dt.UTC))
    [repeated] = published_records(
        breaks(frame(spark, BREAK_HISTORY, histories["run-5"]), "b", "another"), again
    )
    assert repeated["headers"]["ce_id"] == news["run-5"][1]


def test_an_exception_without_a_subject_is_keyed_by_what_is_known(spark: SparkSession) -> None:
    base = NEW | {"rule": "unread", "level": "source-row", "reason": "It cannot be read."}
    rows = (
        base | {"id": "1", "subject": "SO-1", "key": '["1"]', "payload": '{"a":"\u202e"}'},
        base | {"id": "2", "key": '["2"]'},
        base | {"id": "3", "payload": "7;;"},
        base | {"id": "4", "payload": "8;;"},
        base | {"id": "5", "payload": "9;;", "state": "persisting"},
    )
    published = published_records(exceptions(frame(spark, EXCEPTION_HISTORY, *rows), "e", "run-1"))
    assert [r["key"] for r in published] == ["SO-1", '["2"]', "unread", "unread"]
    assert [r["headers"].get("ce_subject") for r in published] == ["SO-1", None, None, None]
    assert [r["value"]["payload"] for r in published] == ['{"a":"\u202e"}', None, "7;;", "8;;"]
    assert {r["headers"]["ce_type"] for r in published} == {"exception-opened"}
    assert len({r["headers"]["ce_id"] for r in published}) == 4


def test_state_is_told_whole(spark: SparkSession) -> None:
    ddl = (
        "subject string, cents bigint, paid decimal(12,2), needs array<struct<q:bigint,sku:string>>"
    )
    state = spark.createDataFrame([("SO-1", 5, Decimal("1.10"), [(2, "A")])], ddl)
    (record,) = published_records(states(state, "s.order", "order"))
    assert record["topic"] == "s.order"
    assert record["key"] == "SO-1"
    assert record["headers"]["ce_type"] == "state-projected"
    assert record["value"] == {
        "subject": "SO-1",
        "cents": 5,
        "paid": "1.10",
        "needs": [{"q": 2, "sku": "A"}],
    }


def test_an_ended_subject_is_told_without_a_value(spark: SparkSession) -> None:
    ended = spark.createDataFrame(
        [("s.order", "order", "SO-1"), ("s.stock", "stock", "A")],
        "topic string, aggregate string, subject string",
    )
    row, stock = records(tombstones(ended), TELLER).collect()
    assert (row["topic"], row["key"], row["value"]) == ("s.order", "SO-1", None)
    assert (stock["topic"], stock["key"], stock["value"]) == ("s.stock", "A", None)
    assert (row["headers"]["ce_type"], row["headers"]["ce_subject"]) == ("state-ended", "SO-1")
    [state, _] = records(states(ended.select("subject"), "s.order", "order"), TELLER).collect()
    assert row["headers"]["ce_id"] == event_id(
        "urn:cutline:shop", "shop", "state-ended", "SO-1", '["order"]', 1
    )
    assert row["headers"]["ce_id"] != state["headers"]["ce_id"]
