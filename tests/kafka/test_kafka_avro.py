"""Avro by a real schema registry, as JSON text."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka.avro import AvroTexts, UnreadableContent
from cutline.kafka.registry import Registry, RegistrySettings, registry_settings
from cutline.project.kafka import RegistrySection
from support.avro_records import encoded, record, with_schema
from support.ports import free_port
from support.servers.registry import SchemaRegistry

pytestmark = pytest.mark.kafka
KEY = "sources.erp.changes.kafka"
_JSON_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "urn:x",
    "type": "object",
}


def texts(
    registry: SchemaRegistry, newest: Mapping[str, int] | None = None, *, logical: bool = False
) -> AvroTexts:
    return AvroTexts(RegistrySettings(registry.url), newest or {}, KEY, logical=logical)


def read(reader: AvroTexts, content: bytes, subject: str) -> Any:
    text = reader.text(content, subject)
    assert text is not None
    return json.loads(text)


def test_what_is_no_avro_stays(schema_registry: SchemaRegistry) -> None:
    reader = texts(schema_registry)
    assert reader.text(None, "s") is None
    assert reader.text(b'{"a":1}', "s") == b'{"a":1}'
    assert reader.text(b"\x00", "s") == b"\x00"


def test_an_older_schema_is_resolved_to_the_newest(schema_registry: SchemaRegistry) -> None:
    old = record("Order", no="int", gone="string")
    new = record("Order", no="long", buyer=(["null", "string"], None))
    subject = "evolving-value"
    first = encoded(schema_registry, subject, old, {"no": 1, "gone": "x"})
    second = encoded(schema_registry, subject, new, {"no": 2**40, "buyer": "Ann"})
    newest = Registry(RegistrySettings(schema_registry.url), KEY).newest([subject, "nowhere"])
    assert set(newest) == {subject}
    reader = texts(schema_registry, newest)
    assert read(reader, first, subject) == {"no": 1, "buyer": None}
    assert read(reader, second, subject) == {"no": 2**40, "buyer": "Ann"}
    # What is not known to be older is read as it was written.
    assert read(texts(schema_registry), first, subject) == {"no": 1, "gone": "x"}


@pytest.mark.parametrize("logical", [False, True])
def test_values_of_every_kind(schema_registry: SchemaRegistry, logical: bool) -> None:
    moment = dt.datetime(2026, 11, 1, 5, 0, 0, 250000, tzinfo=dt.UTC)
    schema = record(
        "Kinds",
        amount={"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        at={"type": "long", "logicalType": "timestamp-millis"},
        day={"type": "int", "logicalType": "date"},
        raw="bytes",
        odd="double",
        names={"type": "array", "items": "string"},
        kind={"type": "enum", "name": "E", "symbols": ["A", "B"]},
        whole="long",
    )
    value = {
        "amount": Decimal("-12.30"),
        "at": moment,
        "day": moment.date(),
        "raw": b"\x00\xff",
        "odd": float("nan"),
        "names": ["é", '"'],
        "kind": "B",
        "whole": 2**62,
    }
    content = encoded(schema_registry, f"kinds-{logical}-value", schema, value)
    plain = {"raw": "AP8=", "odd": "NaN", "names": ["é", '"'], "kind": "B", "whole": 2**62}
    as_texts = {"amount": "-12.30", "at": "2026-11-01T05:00:00.250000Z", "day": "2026-11-01"}
    as_numbers = {"amount": "+zI=", "at": 1793509200250, "day": 20758}
    expected = plain | (as_texts if logical else as_numbers)
    assert read(texts(schema_registry, logical=logical), content, "kinds-value") == expected


def test_what_nobody_can_read_has_a_name(schema_registry: SchemaRegistry) -> None:
    schema = record("Order", no="int")
    subject = "unreadable-value"
    content = encoded(schema_registry, subject, schema, {"no": 1})
    number = int.from_bytes(content[1:5], "big")
    unlike_schema = schema_registry.register(
        "unlike-value", record("Order", no="int", must="string")
    )
    not_avro = schema_registry.register("json-value", _JSON_SCHEMA, "JSON")
    unlike = texts(schema_registry, {subject: unlike_schema})
    reader = texts(schema_registry)
    for texts_, bad, defect in (
        (reader, with_schema(987654, schema, {"no": 1}), "unknown-schema:987654"),
        (reader, content[:5], f"unreadable-by-schema:{number}"),
        (reader, with_schema(not_avro, schema, {"no": 1}), f"not-avro:{not_avro}"),
        (unlike, content, f"unresolvable-schema:{number}"),
    ):
        with pytest.raises(UnreadableContent) as unreadable:
            texts_.text(bad, subject)
        assert unreadable.value.defect == defect
    # One bad record takes nothing from the next.
    assert read(reader, content, subject) == {"no": 1}


def test_a_registry_that_is_gone_stops_the_run() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(RunFailed, match=f"the schema registry at {url} does not answer"):
        Registry(RegistrySettings(url), KEY).newest(["s"])


def test_a_password_of_the_registry_travels_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="username and password belong together"):
        RegistrySection(url="http://r:1", username="u")
    with pytest.raises(ValueError, match="pattern"):
        RegistrySection(url="http://user:plain@r:1")
    section = RegistrySection(url="http://r:1", username="u", password=SecretStr("open sesame"))
    with pytest.raises(ConfigurationError, match="could not be hidden"):
        registry_settings(section, tmp_path)
