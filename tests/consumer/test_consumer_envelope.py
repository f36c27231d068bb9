"""Envelopes: both modes of CloudEvents' Kafka binding, with typed attributes."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from cutline.consumer import MalformedEvent, Received, envelope_of
from cutline.consumer.envelope import ATTRIBUTES
from cutline.tables.event import ENVELOPE
from support.consuming import event, with_header, with_headers

ENVELOPE_ONLY = {"specversion", "migepoch"}
"""What an envelope has beside the columns of events."""


def test_the_attributes_are_those_of_events() -> None:
    assert {column.name for column in ENVELOPE} == ATTRIBUTES - ENVELOPE_ONLY


def test_attributes_are_typed() -> None:
    envelope = envelope_of(
        event(
            1,
            0,
            time="2026-11-01t07:00:00.1234567+01:00",
            migorigin="synthetic",
            migreplaysafe="false",
            migcontext="sales",
            migregion="north",
            migepoch="123456789012345678",
            traceparent="00-a-b-01",
            data={"amount": 1},
        )
    )
    assert envelope.time == dt.datetime(2026, 11, 1, 6, 0, 0, 123456, dt.UTC)
    assert envelope.migreplaysafe is False
    assert envelope.migepoch == 123456789012345678
    assert envelope.extensions == {"traceparent": "00-a-b-01"}
    assert (envelope.data, envelope.tombstone) == ({"amount": 1}, False)


def test_numbers_of_a_payload_lose_nothing() -> None:
    record = with_headers(
        {"ce_specversion": "1.0", "ce_id": "1", "ce_source": "s", "ce_type": "T"}
        | {"content-type": "application/vnd.shop+json; charset=utf-8"},
        b'{"amount": 1.10, "large": 12345678901234567890.12}',
    )
    data = envelope_of(record).data
    assert data == {"amount": Decimal("1.10"), "large": Decimal("12345678901234567890.12")}
    assert str(data["amount"]) == "1.10"


def test_a_null_value_is_a_tombstone() -> None:
    record = event(1, 0)
    tombstone = Received(record.topic, 0, 0, record.key, record.headers, None)
    assert (envelope_of(tombstone).tombstone, envelope_of(tombstone).data) == (True, None)


@pytest.mark.parametrize("media", ["text/plain", None])
def test_a_payload_that_is_no_json_stays_bytes(media: str | None) -> None:
    headers = {"ce_specversion": "1.0", "ce_id": "1", "ce_source": "s", "ce_type": "T"}
    record = with_headers(headers | ({"content-type": media} if media else {}), b"{not json")
    assert envelope_of(record).data == b"{not json"
    assert envelope_of(record).datacontenttype == media


EVENT = {"specversion": "1.0", "id": "1", "source": "s", "type": "T"}


def structured(members: dict[str, Any]) -> Received:
    value = json.dumps(EVENT | members).encode()
    return with_headers({"content-type": "application/cloudevents+json"}, value)


def test_a_structured_event_is_what_its_value_says() -> None:
    record = with_header(
        structured({"migreplaysafe": False, "comexampleothervalue": 5, "subject": None, "data": 1}),
        "ce_id",
        b"of the header",
    )
    envelope = envelope_of(record)
    assert (envelope.id, envelope.subject, envelope.data) == ("1", None, 1)
    assert envelope.migreplaysafe is False
    assert envelope.extensions == {"comexampleothervalue": "5"}


def test_structured_bytes_are_base64() -> None:
    assert envelope_of(structured({"data_base64": "AAEC"})).data == b"\x00\x01\x02"


@pytest.mark.parametrize(
    ("attributes", "attribute", "reason"),
    [
        ({"specversion": "0.3"}, "specversion", "is not '1.0'"),
        ({"id": ""}, "id", "is empty"),
        ({"id": "a\nb"}, "id", "has a control character"),
        ({"time": "2026-11-01"}, "time", "is no RFC 3339 time"),
        ({"time": "2026-02-30T00:00:00Z"}, "time", "is no moment"),
        ({"migreplaysafe": "False"}, "migreplaysafe", "is neither true nor false"),
        ({"migorigin": "copied"}, "migorigin", "is not 'synthetic', 'native' or 'corrective'"),
        ({"migepoch": "-1"}, "migepoch", "is no whole number of at most 18 digits"),
        ({"migepoch": "07"}, "migepoch", "is no whole number of at most 18 digits"),
        ({"migepoch": "7", "migcontext": "c"}, "migregion", "is not there"),
        ({"Upper": "x"}, "Upper", "is no name of an attribute"),
        ({"data": "x"}, "data", "is no name of an attribute"),
    ],
)
def test_what_is_malformed_is_told_by_place_and_attribute(
    attributes: dict[str, str], attribute: str, reason: str
) -> None:
    record = event(1, 5, topic="orders", partition=3, **{"subject": "s"})
    named = {f"ce_{name}" for name in attributes}
    headers = tuple(pair for pair in record.headers if pair[0] not in named)
    headers += tuple((f"ce_{name}", text.encode()) for name, text in attributes.items())
    with pytest.raises(MalformedEvent) as raised:
        envelope_of(Received("orders", 3, 5, b"k", headers, b"{}"))
    assert raised.value.attribute == attribute
    assert raised.value.what_failed.startswith(
        f"topic orders, partition 3, offset 5: {attribute} {reason}"
    )
    assert raised.value.left_behind
    assert raised.value.next_step


@pytest.mark.parametrize("name", ["specversion", "id", "source", "type"])
def test_what_must_be_there_is_missed_by_name(name: str) -> None:
    record = event(1, 0)
    headers = tuple(pair for pair in record.headers if pair[0] != f"ce_{name}")
    with pytest.raises(MalformedEvent, match=f"offset 0: {name} is not there"):
        envelope_of(Received("orders", 0, 0, b"k", headers, b"{}"))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b'{"a": NaN}', "has NaN"),
        (b'{"a": 1, "a": 2}', "has a member twice"),
        (b"{", "is no JSON"),
        (b"\xff", "is no UTF-8"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a": 1e99999999999999999999}', "has a number that is too large"),
    ],
)
def test_a_payload_that_cannot_be_read_is_told(value: bytes, reason: str) -> None:
    record = event(1, 0)
    with pytest.raises(MalformedEvent, match=f"offset 0: data {reason}"):
        envelope_of(Received("orders", 0, 0, b"k", record.headers, value))


@pytest.mark.parametrize(
    ("record", "attribute"),
    [
        (with_header(event(1, 0), "ce_id", b"another"), "id"),
        (with_header(event(1, 0), "ce_note", b"\xff"), "note"),
        (structured({"data": 1, "data_base64": "AAEC"}), "data"),
        (structured({"data_base64": "?"}), "data_base64"),
        (structured({"note": {"a": 1}}), "note"),
        (with_headers({"content-type": "application/cloudevents+avro"}, b"x"), "content-type"),
        (
            with_headers({"content-type": "application/cloudevents-batch+json"}, b"[]"),
            "content-type",
        ),
        (with_headers({"content-type": "application/cloudevents+json"}, b"[]"), "data"),
    ],
)
def test_what_could_mean_two_things_is_refused(record: Received, attribute: str) -> None:
    with pytest.raises(MalformedEvent) as raised:
        envelope_of(record)
    assert raised.value.attribute == attribute
