"""The vectors of docs/consumer-vectors.json, by which others build the same, hold here."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from cutline.consumer import (
    Envelope,
    Handled,
    MalformedEvent,
    Mode,
    Received,
    Service,
    SliceReads,
    envelope_of,
    share_of,
)
from cutline.consumer.effects import effect_key
from cutline.consumer.envelope import OF_THE_RECORD
from cutline.consumer.epochs import OffsetInTopic, SliceAuthority, WritesMoved, epoch_after
from cutline.consumer.gate import suppressed_because
from cutline.consumer.holding import stream_of
from support.consuming import Desk, event, with_headers
from support.paths import DOCS

VECTORS = json.loads((DOCS / "consumer-vectors.json").read_text(encoding="utf-8"))


def cases(group: str) -> Any:
    return pytest.mark.parametrize(
        "case", [pytest.param(c, id=c.get("name", str(n))) for n, c in enumerate(VECTORS[group])]
    )


def test_each_group_has_cases() -> None:
    groups = [group for group in VECTORS if group != "about"]
    assert all(VECTORS[group] for group in groups)
    assert len(groups) == 11


def record_of(case: dict[str, Any]) -> Received:
    return with_headers(case["headers"], case["value"] and case["value"].encode())


def attributes_of(envelope: Envelope) -> dict[str, Any]:
    """What is there, by name; moments as the vectors have them."""
    fields = envelope.model_dump(exclude=set(OF_THE_RECORD), exclude_none=True)
    moments = {
        name: value.isoformat().replace("+00:00", "Z")
        for name, value in fields.items()
        if isinstance(value, dt.datetime)
    }
    return fields | moments | dict(envelope.extensions)


@pytest.mark.parametrize(
    "case", VECTORS["conformance"] + VECTORS["envelopes"], ids=lambda case: case["name"]
)
def test_an_envelope_is_read(case: dict[str, Any]) -> None:
    envelope = envelope_of(record_of(case))
    assert attributes_of(envelope) == case["attributes"]
    assert envelope.data == case["data"]
    assert envelope.tombstone == case.get("tombstone", False)


@cases("malformed")
def test_what_is_malformed_is_told_by_its_attribute(case: dict[str, Any]) -> None:
    with pytest.raises(MalformedEvent) as raised:
        envelope_of(record_of(case))
    assert raised.value.attribute == case["attribute"]


@cases("positions")
def test_a_position_moves(case: dict[str, Any]) -> None:
    desk = Desk()
    service = desk.service()
    if case["next"]:
        service.handle(event("before", case["next"] - 1, topic="t"))
    handled = service.handle(event("it", case["offset"], topic="t")) is Handled.HANDLED
    assert (handled, service.positions()) == (case["handled"], {("t", 0): case["next_after"]})


@cases("gate")
def test_the_gate_decides(case: dict[str, Any]) -> None:
    envelope = Envelope(specversion="1.0", id="1", source="s", type="T", **case["attributes"])
    suppressed = suppressed_because(
        envelope,
        offset=case["offset"],
        mark=case["mark"],
        mode=Mode(case["mode"]),
        state=case["state"],
    )
    assert suppressed == case["suppressed"]


@cases("keys")
def test_an_effect_has_its_key(case: dict[str, Any]) -> None:
    envelope = Envelope(specversion="1.0", id=case["id"], source=case["source"], type="T")
    assert effect_key(case["service"], envelope, case["effect"], case["ordinal"]) == case["key"]


@cases("epochs")
def test_an_epoch_is_judged(case: dict[str, Any]) -> None:
    moves = [WritesMoved(**move) for move in case.get("moves", ())]
    authority = case["authority"] and SliceAuthority(case["authority"], case["writes"], moves)
    place = OffsetInTopic("t", 0, case["offset"]) if moves else None
    after = epoch_after(case["epoch"], case["highest"], authority, place)
    assert after == (case["highest_after"], case["parked"])


@cases("shares")
def test_a_key_is_of_a_share(case: dict[str, Any]) -> None:
    assert share_of(case["context"], case["region"], case["key"]) == case["share"]


@cases("reads")
def test_a_reader_asks(case: dict[str, Any]) -> None:
    reads = SliceReads(case["context"], case["region"], case["reads"], case["percent"], 1)
    assert reads.asks(case["key"]) == tuple(case["asks"])


@cases("streams")
def test_a_topic_has_its_stream(case: dict[str, Any]) -> None:
    assert stream_of(case["topic"]) == case["stream"]


@cases("lines")
def test_who_waits_behind_a_dead_letter(case: dict[str, Any]) -> None:
    desk = Desk()
    service = desk.service()
    for offset, step in enumerate(case["steps"]):
        match step:
            case {"event": number}:
                desk.broken |= {f"e-{number}"} if step["fails"] else set()
                record = event(number, offset, topic=step["topic"], subject=step["subject"])
                assert service.handle(record).value == step["result"]
            case {"mended": number}:
                desk.broken.remove(f"e-{number}")
            case {"retry": number}:
                service.redrive.retry(dead_letter(service, number))
            case {"discard": number}:
                service.redrive.discard(dead_letter(service, number), "as the vector says")
    assert desk.handled() == [f"e-{number}" for number in case["handled"]]


def dead_letter(service: Service, number: str) -> int:
    [row] = [
        row for row in service.letters.shown("dead") if ["ce_id", f"e-{number}"] in row.headers
    ]
    return int(row.number)
