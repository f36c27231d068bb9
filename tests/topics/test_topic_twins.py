"""A live event in other words becomes the event that it announces, with the fact key of its twin."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any, ClassVar

from pydantic import Field
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, Header, Twin
from cutline.identity import fact_key
from cutline.topics.cloudevents import native_events
from cutline.topics.lines import RECORDS


class Shipped(Event):
    """A part was shipped."""

    identified_by: ClassVar[tuple[str, ...]] = ("parcel", "carrier")
    parcel: str
    carrier: str
    pieces: int = Field(ge=1)
    note: str | None = None


class OrderShipped(Event):
    """What the shop announces."""

    order_number: str
    parcel_number: str
    pieces: int
    weight: int | None = None


class ShippedInOtherWords(OrderShipped):
    """The same, under the type of our own event."""

    @classmethod
    def event_type(cls) -> str:
        return "Shipped"


FIELDS = {"parcel": "parcel_number", "carrier": Header("carrier")}


def shop(live: type[Event]) -> Context:
    twin = Twin(live, Shipped, FIELDS, subject="order_number")
    return Context("shop", "", (Aggregate("order", "", (Shipped,), {}),), twins=(twin,))


def record(n: int, type: str, data: Any, carrier: str | None = "DHL") -> tuple[Any, ...]:
    headers = {
        "ce_id": f"live-{n}",
        "ce_source": "urn:shop:live",
        "ce_specversion": "1.0",
        "ce_subject": "internal-7",
        "ce_time": "2026-11-01T06:00:00Z",
        "ce_type": type,
    } | ({"carrier": carrier} if carrier else {})
    return ("t", 0, n, dt.datetime(2026, 11, 1, tzinfo=dt.UTC), "k", headers, json.dumps(data), "l")


def test_it_has_the_data_and_the_key_that_a_synthetic_one_would_have(spark: SparkSession) -> None:
    payload = {"order_number": "SO-1", "parcel_number": "P-1", "pieces": 2, "weight": 7}
    for type, context in (
        ("OrderShipped", shop(OrderShipped)),
        ("Shipped", shop(ShippedInOtherWords)),
    ):
        records = [
            record(0, type, payload),
            record(1, type, payload, carrier=None),
            record(2, type, payload | {"pieces": 0}),
            record(3, type, payload | {"parcel": "P-1"}),
            record(4, type, payload | {"order_number": ""}),
            record(5, type, {k: v for k, v in payload.items() if k != "parcel_number"}),
        ]
        native, failed = native_events(spark.createDataFrame(records, RECORDS), context)
        [event] = [r.asDict() for r in native.collect()]
        assert (event["type"], event["subject"], event["aggregate"], event["id"]) == (
            "Shipped",
            "SO-1",
            "order",
            "live-0",
        )
        assert json.loads(event["data"]) == {
            "parcel": "P-1",
            "carrier": "DHL",
            "pieces": 2,
            "note": None,
        }
        assert event["migfactkey"] == fact_key("shop", "Shipped", "SO-1", '["P-1","DHL"]')
        name = context.twins[0].live.__name__
        assert {json.loads(r["key"])[1]: r["reason"] for r in failed.collect()} == {
            1: "its data breaks payload:Shipped.carrier",
            2: "its data breaks payload:Shipped.pieces",
            3: f"its data breaks payload:{name}: unknown field parcel",
            4: f"its data breaks payload:{name}: it says no subject",
            5: f"its data breaks payload:{name}.parcel_number",
        }


def test_its_fields_may_differ_from_ours_in_upper_and_lower_case_only(spark: SparkSession) -> None:
    class OrderShippedInCapitals(Event):
        """The same, with names as another language writes them."""

        Parcel: str
        Carrier: str
        pieces: int

    twin = Twin(OrderShippedInCapitals, Shipped, {"parcel": "Parcel", "carrier": "Carrier"})
    context = Context("shop", "", (Aggregate("order", "", (Shipped,), {}),), twins=(twin,))
    payload = {"Parcel": "P-1", "Carrier": "UPS", "pieces": 2}
    records = [
        record(0, "OrderShippedInCapitals", payload),
        record(1, "Shipped", {"parcel": "P-2", "carrier": "DHL", "pieces": 1, "note": None}),
        record(2, "Shipped", {"Parcel": "P-2", "carrier": "DHL", "pieces": 1}),
    ]
    native, failed = native_events(spark.createDataFrame(records, RECORDS), context)
    parcels = {r["id"]: json.loads(r["data"])["parcel"] for r in native.collect()}
    assert parcels == {"live-0": "P-1", "live-1": "P-2"}
    [failure] = failed.collect()
    assert failure["reason"] == "its data breaks payload:Shipped: unknown field Parcel"
