"""Events in the structured mode become those of the binary mode, or say why nobody can read them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.project.live import LiveRecords
from cutline.topics.cloudevents import UNREADABLE_BECAUSE
from cutline.topics.live.attributes import as_cloudevents

pytestmark = pytest.mark.spark
SECTION = LiveRecords.model_validate({"topic": "shop.orders"})
EVENT = {"specversion": "1.0", "id": "e-1", "type": "Paid", "traceparent": "00-ab"}
ATTRIBUTES = {f"ce_{name}": text for name, text in EVENT.items()}
TWICE = json.dumps(EVENT)[:-1] + ', "id": "e-2"}'
INNER_TWICE = json.dumps(EVENT)[:-1] + ', "data": {"a": 1, "a": 2}}'
NO_OBJECT = "its value is no JSON object, or has a member twice"


def in_base64(content: bytes) -> dict[str, str]:
    return EVENT | {"data_base64": base64.b64encode(content).decode()}


@pytest.fixture(scope="module")
def read(spark: SparkSession) -> Any:
    def read_event(event: Any) -> tuple[dict[str, str], str | None]:
        value = event if event is None or isinstance(event, str) else json.dumps(event)
        headers = {"content-type": "application/cloudevents+json", "tenant": "t-1"}
        ddl = "headers map<string,string>, value string"
        row = as_cloudevents(spark.createDataFrame([(headers, value)], ddl), SECTION).first()
        assert row is not None
        return row["headers"], row["value"]

    return read_event


@pytest.mark.parametrize(
    ("event", "value"),
    [
        (EVENT | {"data": {"a": 2.50}}, '{"a":2.5}'),
        (in_base64(b'{"a":\n12345678901234567890.10}'), '{"a": 12345678901234567890.10}'),
        (in_base64(b"[1]"), "[1]"),
        (in_base64(b"[1]") | {"data": None}, "[1]"),
        (EVENT, None),
    ],
)
def test_a_payload_is_its_data_or_what_its_base64_says(read: Any, event: Any, value: Any) -> None:
    headers, text = read(event)
    assert text == value
    assert headers == ATTRIBUTES | {"tenant": "t-1", "content-type": "application/json"}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (in_base64(b"no JSON"), "its data_base64 is no JSON in Base64"),
        (in_base64(b"{} {}"), "its data_base64 is no JSON in Base64"),
        (in_base64(b'"\xff"'), "its data_base64 is no JSON in Base64"),
        (EVENT | {"data_base64": "!"}, "its data_base64 is no JSON in Base64"),
        (EVENT | {"data_base64": ""}, "its data_base64 is no JSON in Base64"),
        (in_base64(b"{}") | {"data": {}}, "its data stands there twice, once as data_base64"),
    ],
)
def test_a_payload_that_nobody_can_read_is_told_with_its_event(
    read: Any, event: Any, why: str
) -> None:
    headers, _ = read(event)
    assert headers[UNREADABLE_BECAUSE] == why
    assert headers.items() >= ATTRIBUTES.items()


@pytest.mark.parametrize("event", [TWICE, INNER_TWICE, "[]", "{"])
def test_what_is_no_object_has_no_attributes(read: Any, event: str) -> None:
    headers, text = read(event)
    assert headers[UNREADABLE_BECAUSE] == NO_OBJECT
    assert (text, "ce_id" in headers) == (None, False)


def test_a_null_value_has_the_attributes_of_its_headers(read: Any) -> None:
    headers, text = read(None)
    assert (text, headers["tenant"], UNREADABLE_BECAUSE in headers) == (None, "t-1", False)
