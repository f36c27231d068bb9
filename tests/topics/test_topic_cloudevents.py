"""Events as CloudEvents records, and live records as events or exceptions."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field
from pyspark.sql import DataFrame, SparkSession

from cutline.context import Aggregate, Context, Event, ValueObject, latest
from cutline.identity import canonical_json, fact_key
from cutline.tables.event import EVENTS
from cutline.tables.exception import EXCEPTIONS
from cutline.topics.cloudevents import event_records, native_events
from cutline.topics.files import FileTopics
from cutline.topics.headers import with_header_map
from cutline.topics.lines import RECORDS

LIVE = "shop.orders.order.live"
NOW = dt.datetime(2026, 11, 1, 5, 0, 0, 250000, tzinfo=dt.UTC)


class Piece(ValueObject):
    """A part of a bundle."""

    sku: str
    quantity: int


class Placed(Event):
    """An order was placed."""

    order: str
    total: Decimal = Field(max_digits=12, decimal_places=2)
    placed_at: dt.datetime
    due: dt.date | None = None
    gift: bool
    channel: Literal["web", "store"]
    pieces: list[Piece]


class Paid(Event):
    """A payment came in."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment", "cents")

    payment: str
    cents: int = Field(ge=1)


class Archived(Event):
    """An order was put away."""


ORDER = Aggregate(
    "order", "One order.", (Placed, Paid, Archived), {"total": latest("total", Placed)}
)
ORDERS = Context("orders", "Orders.", (ORDER,))

HEADERS = {
    "ce_id": "0b5c",
    "ce_source": "urn:shop:live",
    "ce_specversion": "1.0",
    "ce_subject": "SO-1",
    "ce_time": "2026-11-01T06:00:00+01:00",
    "ce_type": "Paid",
    "content-type": "application/json",
}
PAID = {"payment": "P-1", "cents": 5}
PLACED = {
    "order": "SO-1",
    "total": "12.30",
    "placed_at": "2026-11-01T06:00:00+01:00",
    "due": None,
    "gift": False,
    "channel": "web",
    "pieces": [{"sku": "A", "quantity": 2}],
}


def headers(**changes: str | None) -> dict[str, str]:
    changed = HEADERS | {(k if "-" in k else f"ce_{k}"): v for k, v in changes.items()}
    return {k: v for k, v in changed.items() if v is not None}


def live(spark: SparkSession, *rows: tuple[Any, Any]) -> DataFrame:
    """Records of headers and value (JSON text, or what becomes it), at offsets from 0."""
    full = [
        (
            LIVE,
            1,
            n,
            NOW,
            f"key-{n}",
            h,
            v if v is None or isinstance(v, str) else json.dumps(v),
            f"line-{n}",
        )
        for n, (h, v) in enumerate(rows)
    ]
    return spark.createDataFrame(full, RECORDS)


def events_and_failures(
    spark: SparkSession, *rows: tuple[Any, Any], region: str | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    native, unreadable = native_events(live(spark, *rows), ORDERS, region)
    assert native.columns == list(EVENTS.names)
    assert unreadable.columns == list(EXCEPTIONS.names)
    events = [r.asDict() for r in native.collect()]
    failed = [r.asDict() for r in unreadable.collect()]
    if region is None:
        offsets = [int(e["partitionkey"].removeprefix("key-")) for e in events]
        offsets += [json.loads(e["key"])[1] for e in failed]
        assert Counter(offsets) == Counter(range(len(rows)))
    return events, failed


def placed(**changes: Any) -> tuple[dict[str, str], Any]:
    return headers(type="Placed"), PLACED | changes


def paid(**changes: Any) -> tuple[dict[str, str], Any]:
    return headers(), PAID | changes


def test_a_live_record_becomes_a_native_event(spark: SparkSession) -> None:
    [event], [] = events_and_failures(
        spark,
        (headers(sequence="L7", migregion="eu", recordedtime="2026-11-01T05:00:01Z"), PAID),
    )
    attributes = {k: v for k, v in event.items() if v is not None}
    assert attributes.pop("time").astimezone(dt.UTC) == dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC)
    assert attributes.pop("recordedtime").astimezone(dt.UTC) == NOW.replace(second=1, microsecond=0)
    assert attributes == {
        "id": "0b5c",
        "source": "urn:shop:live",
        "type": "Paid",
        "subject": "SO-1",
        "datacontenttype": "application/json",
        "partitionkey": "key-0",
        "sequence": "L7",
        "migorigin": "native",
        "migreplaysafe": True,
        "migconfidence": "exact",
        "migtimebasis": "effective",
        "migregion": "eu",
        "migcontext": "orders",
        "migfactkey": fact_key("orders", "Paid", "SO-1", '["P-1",5]'),
        "aggregate": "order",
        "side": "before",
        "data": '{"cents":5,"payment":"P-1"}',
    }


def test_data_is_written_as_a_synthetic_twin_would_write_it(spark: SparkSession) -> None:
    events, [] = events_and_failures(
        spark,
        placed(),
        (headers(type="Placed"), json.dumps(PLACED, indent=1).replace('"12.30"', "12.3")),
        placed(total=12.3, placed_at="2026-11-01T05:00:00.000000000Z", pieces=[{"quantity": 2, "sku": "A"}]),
        (headers(type="Placed"), {k: v for k, v in PLACED.items() if k != "due"}),
        placed(due="2026-02-03", order="é\u2028\"\x01", pieces=[]),
        (headers(type="Archived"), {}),
    )  # fmt: skip
    plain = canonical_json(PLACED | {"placed_at": "2026-11-01T05:00:00.000000Z"})
    assert [e["data"] for e in events[:4]] == [plain] * 4
    assert events[4]["data"] == canonical_json(
        PLACED
        | {
            "placed_at": "2026-11-01T05:00:00.000000Z",
            "due": dt.date(2026, 2, 3),
            "order": 'é\u2028"\x01',
            "pieces": [],
        }
    )
    assert events[5]["data"] == "{}"
    assert {e["migfactkey"] for e in events[:5]} == {fact_key("orders", "Placed", "SO-1", None)}


def test_what_is_no_cloud_event_is_unreadable(spark: SparkSession) -> None:
    cases: list[tuple[Any, str]] = [
        (None, "it is no record"),
        ({}, "ce_specversion is not 1.0"),
        (headers(specversion="0.3"), "ce_specversion is not 1.0"),
        (headers(id=None), "no ce_id"),
        (headers(source=""), "no ce_source"),
        (headers(type=None), "no ce_type"),
        (headers(subject=None), "no ce_subject"),
        (headers(time=None), "no ce_time"),
        (headers(time="2026-11-01T06:00:00"), "no RFC 3339 time"),
        (headers(time="yesterday"), "no RFC 3339 time"),
        (headers(time="2026-02-30T06:00:00Z"), "no moment"),
        (
            headers() | {"content-type": "application/cloudevents+json"},
            "application/cloudevents+json",
        ),
        (headers(migorigin="synthetic"), "it is synthetic"),
    ]
    [], failed = events_and_failures(spark, *((given, PAID) for given, _ in cases))
    assert {e["rule"] for e in failed} == {"unreadable-native-event"}
    for row in failed:
        reason = cases[json.loads(row["key"])[1]][1]
        assert reason in row["reason"]


def test_an_exception_says_where_the_record_stands(spark: SparkSession) -> None:
    [], [row] = events_and_failures(spark, (headers(type="Messaged"), {"template": "thanks"}))
    assert {k: v for k, v in row.items() if v is not None} == {
        "rule": "unknown-event-type",
        "level": "event",
        "subject": "SO-1",
        "reason": "context orders has no event Messaged",
        "checks": [],
        "source": LIVE,
        "key": "[1,0]",
        "payload": "line-0",
    }


def test_content_types_and_times_that_are_good(spark: SparkSession) -> None:
    events, [] = events_and_failures(
        spark,
        (headers() | {"content-type": "application/json; charset=utf-8"}, PAID),
        ({k: v for k, v in headers().items() if k != "content-type"}, PAID),
        (headers(time="2026-11-01T05:00:00.123456789Z"), PAID),
        (headers(migorigin="native"), PAID),
    )
    moment = dt.datetime(2026, 11, 1, 5, 0, 0, 123456, tzinfo=dt.UTC)
    assert events[2]["time"].astimezone(dt.UTC) == moment


def test_a_payload_that_breaks_its_class_is_invalid(spark: SparkSession) -> None:
    cases: list[tuple[tuple[dict[str, str], Any], str]] = [
        ((headers(), None), "Paid: no JSON object"),
        ((headers(), "[1]"), "Paid: no JSON object"),
        ((headers(), '"{}"'), "Paid: no JSON object"),
        ((headers(), '{"cents":1,"cents":2,"payment":"P"}'), "Paid: no JSON object"),
        ((headers(), {"cents": 5}), "Paid.payment"),
        (paid(cents=None), "Paid.cents"),
        (paid(cents=0), "Paid.cents"),
        (paid(cents="5"), "Paid.cents"),
        (paid(cents=5.5), "Paid.cents"),
        ((headers(), '{"cents":1e2,"payment":"P"}'), "Paid.cents"),
        (paid(cents=2**63), "Paid.cents"),
        (paid(payment=7), "Paid.payment"),
        (paid(note="x"), "Paid: unknown field note"),
        (placed(total="12.345"), "Placed.total"),
        (placed(total="1e2"), "Placed.total"),
        (placed(total=" 1.00"), "Placed.total"),
        (placed(total="12345678901.00"), "Placed.total"),
        ((headers(type="Placed"), json.dumps(PLACED).replace('"12.30"', "12." + "3" * 40)), "Placed.total"),
        (placed(placed_at="2026-11-01T06:00:00"), "Placed.placed_at"),
        (placed(placed_at="2026-11-01T06:00:00.1234567Z"), "Placed.placed_at"),
        (placed(due="2026-02"), "Placed.due"),
        (placed(due="2026-02-30"), "Placed.due"),
        (placed(gift="yes"), "Placed.gift"),
        (placed(gift=1), "Placed.gift"),
        (placed(channel="fax"), "Placed.channel"),
        (placed(pieces=[{"sku": "A", "quantity": "2"}]), "Placed.pieces"),
        (placed(pieces=[{"sku": "A", "quantity": 2, "note": "x"}]), "Placed.pieces"),
        (placed(pieces={"sku": "A", "quantity": 2}), "Placed.pieces"),
        ((headers(type="Archived"), {"x": 1}), "Archived: unknown field x"),
    ]  # fmt: skip
    [], failed = events_and_failures(spark, *(record for record, _ in cases))
    assert {e["rule"] for e in failed} == {"invalid-native-payload"}
    assert {e["aggregate"] for e in failed} == {"order"}
    for row in failed:
        assert row["reason"] == f"its data breaks payload:{cases[json.loads(row['key'])[1]][1]}"


def test_records_of_another_region_are_another_slices(spark: SparkSession) -> None:
    rows = [
        (headers(migregion="eu"), PAID),
        (headers(migregion="us"), PAID),
        (headers(), PAID),
        (headers(migregion="us", type="Unknown"), PAID),
        (None, None),
    ]
    events, failed = events_and_failures(spark, *rows, region="eu")
    assert [e["partitionkey"] for e in events] == ["key-0", "key-2"]
    assert [e["key"] for e in failed] == ["[1,4]"]


def event(**changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = dict.fromkeys(EVENTS.names)
    return (
        columns
        | {
            "id": "0b5c",
            "source": "urn:shop:live",
            "type": "Paid",
            "subject": "SO-1",
            "time": dt.datetime(2026, 11, 1, 5, tzinfo=dt.UTC),
            "datacontenttype": "application/json",
            "partitionkey": "SO-1",
            "migorigin": "native",
            "side": "before",
            "migreplaysafe": True,
            "migconfidence": "exact",
            "migtimebasis": "effective",
            "migcontext": "orders",
            "migfactkey": fact_key("orders", "Paid", "SO-1", '["P-1",5]'),
            "aggregate": "order",
            "data": '{"cents":5,"payment":"P-1"}',
        }
        | changes
    )


def test_an_event_becomes_a_record_in_the_binary_binding(spark: SparkSession) -> None:
    attributes = event(migreplaysafe=False, recordedtime=NOW, migorigin="synthetic")
    rows = spark.createDataFrame([attributes], EVENTS.ddl)
    record = with_header_map(event_records(rows)).collect()[0].asDict()
    assert record.pop("timestamp").astimezone(dt.UTC) == NOW
    assert record == {
        "key": "SO-1",
        "value": '{"cents":5,"payment":"P-1"}',
        "headers": {
            "ce_specversion": "1.0",
            "ce_id": "0b5c",
            "ce_source": "urn:shop:live",
            "ce_type": "Paid",
            "ce_subject": "SO-1",
            "ce_time": "2026-11-01T05:00:00.000000Z",
            "content-type": "application/json",
            "ce_partitionkey": "SO-1",
            "ce_recordedtime": "2026-11-01T05:00:00.250000Z",
            "ce_migorigin": "synthetic",
            "ce_migreplaysafe": "false",
            "ce_migconfidence": "exact",
            "ce_migtimebasis": "effective",
            "ce_migcontext": "orders",
            "ce_migfactkey": attributes["migfactkey"],
        },
    }


def test_native_events_come_back_from_a_topic_as_they_were(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = spark.createDataFrame(
        [
            event(),
            event(id="2", subject="SO-\u2028é", partitionkey="SO-\u2028é", sequence="7",
                  migfactkey=fact_key("orders", "Paid", "SO-\u2028é", '["P-1",5]')),
        ],
        EVENTS.ddl,
    )  # fmt: skip
    topics = FileTopics(str(tmp_path), 2)
    topics.append(LIVE, "run-1", event_records(events))
    native, unreadable = native_events(topics.read(spark, [LIVE]), ORDERS)
    assert native.exceptAll(events).count() == events.exceptAll(native).count() == 0
    assert unreadable.count() == 0
