"""A broken live record is an exception of the subject that its twin reads, and of no other."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, Header, Twin
from cutline.topics.cloudevents import native_events
from cutline.topics.lines import RECORDS


class Paid(Event):
    """Somebody has paid."""

    cents: int


class PaymentTaken(Event):
    """What the shop announces."""

    order: str
    cents: int


def shop(subject: str | Header | None) -> Context:
    twin = Twin(PaymentTaken, Paid, subject=subject)
    return Context("shop", "", (Aggregate("order", "", (Paid,), {}),), twins=(twin,))


def record(**changed: str | None) -> tuple[Any, ...]:
    headers = {
        "ce_id": "live-1",
        "ce_source": "urn:shop:live",
        "ce_specversion": "1.0",
        "ce_subject": "7",
        "ce_time": "2026-11-01T06:00:00Z",
        "ce_type": "PaymentTaken",
        "ce_ordernumber": "SO-8",
    } | changed
    present = {name: value for name, value in headers.items() if value is not None}
    data = json.dumps({"order": "SO-9", "cents": "many"})
    return ("t", 0, 1, dt.datetime(2026, 11, 1, tzinfo=dt.UTC), "k", present, data, "line")


@pytest.mark.parametrize(
    ("source", "changed", "subject", "rule"),
    [
        ("order", {}, "SO-9", "invalid-native-payload"),
        (Header("ce_ordernumber"), {}, "SO-8", "invalid-native-payload"),
        (Header("ce_ordernumber"), {"ce_ordernumber": None}, None, "invalid-native-payload"),
        (Header("ce_ordernumber"), {"ce_ordernumber": ""}, None, "invalid-native-payload"),
        (None, {}, "7", "invalid-native-payload"),
        ("order", {"ce_time": None}, "SO-9", "unreadable-native-event"),
        ("order", {"ce_type": "Unheard"}, "7", "unknown-event-type"),
    ],
)
def test_an_exception_has_the_subject_that_a_sound_record_would_have(
    spark: SparkSession,
    source: str | Header | None,
    changed: dict[str, str | None],
    subject: str | None,
    rule: str,
) -> None:
    records = spark.createDataFrame([record(**changed)], RECORDS)
    _, exceptions = native_events(records, shop(source))
    [exception] = exceptions.collect()
    assert (exception["subject"], exception["rule"]) == (subject, rule)
