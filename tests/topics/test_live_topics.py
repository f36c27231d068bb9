"""Live events on a real broker, as CloudEvents in both modes and as plain JSON."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest
from confluent_kafka import Producer
from pydantic import Field
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, latest
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka.registry import RegistrySettings
from cutline.project.kafka import KafkaReading
from cutline.project.live import LiveRecords, LiveTopics
from cutline.tables.exception import EXCEPTIONS
from cutline.topics.cloudevents import native_events
from cutline.topics.live import KafkaLive, LivePlace, live_records
from support.avro_records import encoded, record, with_schema
from support.servers.kafka import KafkaBroker, Record
from support.servers.registry import SchemaRegistry
from support.topics_read import settings_of

pytestmark = pytest.mark.kafka


class Paid(Event):
    """A payment came in."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment",)

    payment: str
    amount: Decimal = Field(max_digits=12, decimal_places=2)


ORDER = Aggregate("order", "One order.", (Paid,), {"amount": latest("amount", Paid)})
ORDERS = Context("orders", "Orders.", (ORDER,))
PAYLOAD = b'{"payment":"P-1","amount":1.50}'
ATTRIBUTES = {
    "specversion": "1.0",
    "id": "e-1",
    "source": "urn:shop",
    "type": "Paid",
    "subject": "SO-1",
    "time": "2026-11-01T05:00:00Z",
}
BINARY = (
    *((f"ce_{name}", text.encode()) for name, text in ATTRIBUTES.items()),
    ("content-type", b"application/json"),
)
STRUCTURED = (("content-type", b"application/cloudevents+json; charset=utf-8"), ("tenant", b"t-1"))


def place_of(broker: KafkaBroker, topic: str, **records: Any) -> LivePlace:
    """The live topic of orders, whose records look as `records` says."""
    reading = KafkaReading.model_validate({"bootstrap": broker.bootstrap, "stalled_seconds": 20})
    section = LiveRecords.model_validate({"topic": topic, **records})
    return LivePlace("order", topic, settings_of(broker), reading, section, "topics.kafka")


def position_of(place: LivePlace) -> str:
    with KafkaLive(place).freeze() as (position, handle):
        assert handle is None
        return position


def read(
    spark: SparkSession, place: LivePlace, folder: Path
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The events, and the exceptions, of all that the topic holds now."""
    records = live_records(spark, [place], {"live:order": position_of(place)}, str(folder))
    events, unreadable = native_events(records, ORDERS, "eu-west")
    columns = ("id", "source", "type", "subject", "time", "partitionkey", "data")
    return (
        [row.asDict() for row in events.select(*columns).orderBy("id").collect()],
        [row.asDict() for row in unreadable.select(*EXCEPTIONS.names).orderBy("key").collect()],
    )


EVENT = {
    "id": "e-1",
    "source": "urn:shop",
    "type": "Paid",
    "subject": "SO-1",
    "time": dt.datetime(2026, 11, 1, 5),
    "partitionkey": "k",
    "data": '{"amount":"1.50","payment":"P-1"}',
}


def test_both_modes_of_the_binding_say_the_same(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-both-modes")
    whole = json.dumps(ATTRIBUTES)[:-1].encode() + b',"data":' + PAYLOAD + b"}"
    kafka_broker.produce(
        topic,
        [
            Record(b"k", PAYLOAD, BINARY),
            Record(b"k", whole.replace(b"e-1", b"e-2"), STRUCTURED),
        ],
    )
    events, unreadable = read(spark, place_of(kafka_broker, topic), tmp_path)
    assert events == [EVENT, EVENT | {"id": "e-2"}]
    assert unreadable == []


def test_numbers_and_headers_of_the_structured_mode_stay(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-structured")
    whole = b'{"specversion":"1.0","id":"e","data":{"n":12345678901234567890.10}}'
    kafka_broker.produce(topic, [Record(b"k", whole, STRUCTURED)])
    place = place_of(kafka_broker, topic)
    records = live_records(spark, [place], {"live:order": position_of(place)}, str(tmp_path))
    (row,) = records.collect()
    assert row["value"] == '{"n":12345678901234567890.10}'
    assert row["headers"] == {
        "ce_specversion": "1.0",
        "ce_id": "e",
        "tenant": "t-1",
        "content-type": "application/json",
    }


def test_plain_json_is_read_as_declared(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-json")
    place = place_of(
        kafka_broker,
        topic,
        format="json",
        id={"record": "place"},
        type={"field": "what", "meaning": {"payment": "Paid"}},
        subject={"field": "order.number"},
        time={"field": "at", "unit": "milliseconds"},
        source={"constant": "urn:shop"},
        region={"header": "region"},
        data="body",
    )
    value: dict[str, Any] = {
        "what": "payment",
        "order": {"number": "SO-1"},
        "at": 1793509200000,
        "body": {"payment": "P-1", "amount": 1.5},
    }
    of_here = (("region", b"eu-west"),)
    kafka_broker.produce(
        topic,
        [
            Record(b"k", json.dumps(value).encode(), of_here),
            Record(b"k", json.dumps(value).encode(), (("region", b"us-east"),)),
            Record(b"k", json.dumps(value | {"at": "yesterday"}).encode(), of_here),
            Record(b"k", json.dumps(value | {"what": "refund"}).encode(), of_here),
        ],
    )
    events, unreadable = read(spark, place, tmp_path)
    assert events == [EVENT | {"id": "live-json/0/0"}]
    assert [(row["key"], row["rule"], row["reason"]) for row in unreadable] == [
        ("[0,2]", "unreadable-native-event", "it has no ce_time"),
        ("[0,3]", "unknown-event-type", "context orders has no event refund"),
    ]


def test_the_time_of_a_record_may_be_that_of_its_event(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-record-time", 1, {"retention.ms": "-1"})
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap})
    producer.produce(topic, PAYLOAD, b"SO-1", timestamp=1793509200000)
    producer.flush(20)
    place = place_of(
        kafka_broker,
        topic,
        format="json",
        id={"field": "payment"},
        type={"constant": "Paid"},
        subject={"record": "key"},
        time={"record": "timestamp"},
    )
    events, _ = read(spark, place, tmp_path)
    expected = {"id": "P-1", "source": f"kafka:{topic}", "partitionkey": "SO-1"}
    assert events == [EVENT | expected]


def test_what_cannot_be_read_is_an_exception_by_its_place(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-poison")
    kafka_broker.produce(
        topic,
        [
            Record(b"k", b"\x00\xff", BINARY),
            Record(b"k", b"{", STRUCTURED),
            Record(b"k", None, BINARY),
            Record(None, PAYLOAD),
            # An attribute that is no text is no attribute, whatever its bytes look like.
            Record(b"k", PAYLOAD, (*BINARY, ("ce_subject", b"\xff"))),
        ],
    )
    events, unreadable = read(spark, place_of(kafka_broker, topic), tmp_path)
    assert events == []
    assert [(row["key"], row["rule"], row["reason"]) for row in unreadable] == [
        ("[0,0]", "invalid-native-payload", "its data breaks payload:Paid: no JSON object"),
        ("[0,1]", "unreadable-native-event", "its value is no JSON object, or has a member twice"),
        ("[0,2]", "invalid-native-payload", "its data breaks payload:Paid: no JSON object"),
        ("[0,3]", "unreadable-native-event", "its ce_specversion is not 1.0"),
        ("[0,4]", "unreadable-native-event", "it has no ce_subject"),
    ]
    assert json.loads(unreadable[0]["payload"])["value"] == "\x00\ufffd"


def test_avro_is_read_by_its_schema(
    spark: SparkSession, kafka_broker: KafkaBroker, schema_registry: SchemaRegistry, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-avro")
    schema = record("Payment", payment="string", amount=_AMOUNT)
    value = {"payment": "P-1", "amount": Decimal("1.50")}
    of_avro = (*BINARY[:-1], ("content-type", b"application/avro"))
    kafka_broker.produce(
        topic,
        [
            Record(b"k", encoded(schema_registry, f"{topic}-value", schema, value), of_avro),
            Record(b"k", with_schema(987654, schema, value), of_avro),
        ],
    )
    registry = RegistrySettings(schema_registry.url)
    place = replace(place_of(kafka_broker, topic), registry=registry)
    events, unreadable = read(spark, place, tmp_path)
    assert events == [EVENT]
    (row,) = unreadable
    assert (row["key"], row["rule"]) == ("[0,1]", "unreadable-native-event")
    assert row["reason"] == "the schema registry has no schema 987654"


_AMOUNT = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}


def test_what_comes_later_is_another_runs(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("live-later")
    kafka_broker.produce(topic, [Record(b"k", PAYLOAD, BINARY)])
    place = place_of(kafka_broker, topic)
    position = position_of(place)
    kafka_broker.produce(topic, [Record(b"k", PAYLOAD, BINARY)])
    assert KafkaLive(place).resume(position) is not None
    records = live_records(spark, [place], {"live:order": position}, str(tmp_path))
    assert records.count() == 1
    kafka_broker.delete_topic(topic)
    assert KafkaLive(place).resume(position) is None
    with pytest.raises(RunFailed, match=f"topic {topic} is not there .* any more"):
        live_records(spark, [place], {"live:order": position}, str(tmp_path))


def test_a_live_topic_that_is_not_there_is_named(kafka_broker: KafkaBroker) -> None:
    with pytest.raises(ConfigurationError, match="topic live-nowhere is not there"):
        position_of(place_of(kafka_broker, "live-nowhere"))


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ({"format": "json", "id": {"field": "n"}}, "format json needs type, subject, time"),
        ({"id": {"field": "n"}}, "id: a CloudEvent says that itself"),
        ({"format": "json", "id": {"field": "n", "header": "h"}}, "needs one of field, header"),
    ],
)
def test_half_a_declaration_is_refused(records: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        LiveRecords.model_validate(records)


def test_plain_json_has_no_epoch_that_could_be_required() -> None:
    place = {"field": "n"}
    plain = {"format": "json", "id": place, "type": place, "subject": place, "time": place}
    declared = {"aggregates": ["order"], "epochs": "required", "records": {"order": plain}}
    with pytest.raises(ValueError, match="the records of order are plain JSON, which has none"):
        LiveTopics.model_validate(declared)
    LiveTopics.model_validate(declared | {"records": {"order": {"topic": "orders"}}})
