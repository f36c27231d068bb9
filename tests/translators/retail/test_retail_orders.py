"""What an ERP order, its cart and the warehouse's word on it mean."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from cutline_domains.fulfilment.exception_hold import ExceptionHoldPlaced
from cutline_translators.retail.contracts import Cart, ErpOrder, WarehouseRelease
from cutline_translators.retail.orders import ErpOrders
from cutline_translators.retail.statuses import HOLDS, READABLE
from support.changes import change, changes_table, snapshot
from support.retail_rows import DONE, ORDERED, RELEASED, order

ORDERS = [
    order("new"),
    order("released", "RELEASED"),
    order("closed", "CLOSED"),
    order("closed-via-warehouse", "CLOSED", released_at=RELEASED),
    order("cancelled", "CANCL", released_at=RELEASED),
    order("warehouse-says-so", "BOOKED"),
    order("warehouse-holds", "BOOKED"),
    order("hold", "CRHLD"),
    order("split", "SPLIT"),
    order("test", "TESTO"),
    order("migrated", "MIGR1"),
    order("no-status", None),
    order("no-time", ordered_at=None),
    order("both", "CLOSED", cancelled_at=DONE),
    order("both-too", "CANCL", closed_at=DONE),
    order("no-close-time", "CLOSED", closed_at=None),
    order("fax", channel="FAX"),
]
CARTS = [
    {"cart_no": "K1", "order_no": "new", "region": "eu-west", "status": "SUBMITTED"},
    {"cart_no": "K2", "order_no": "nobody", "region": "eu-west", "status": "SUBMITTED"},
]
RELEASES = [
    {
        "order_no": "warehouse-says-so",
        "region": "eu-west",
        "release_status": "REL",
        "released_at": RELEASED,
    },
    {"order_no": "warehouse-holds", "region": "eu-west", "release_status": "HLD"},
    {"order_no": "migrated", "region": "eu-west", "release_status": "???"},
]


@pytest.fixture(scope="module")
def rows(spark: SparkSession):
    """One translation of all literal rows."""
    frame = translate_changes(
        ErpOrders,
        {
            ErpOrder: changes_table(spark, ErpOrder, [snapshot(r) for r in ORDERS]),
            Cart: changes_table(spark, Cart, [snapshot(r) for r in CARTS]),
            WarehouseRelease: changes_table(
                spark, WarehouseRelease, [snapshot(r) for r in RELEASES]
            ),
        },
    )
    return frame.collect()


def end(rows, table: str, key: str) -> tuple[str, str]:
    (row,) = [r for r in rows if r["table"] == table and json.loads(r["key"]) == [key]]
    return row["disposition"], row["rule"]


def events(rows, subject: str) -> dict[str, dict]:
    return {e["type"]: e.asDict() for r in rows if r["subject"] == subject for e in r["events"]}


def test_each_status_announces_what_it_means_and_no_more(rows) -> None:
    assert {
        r["subject"]: [e["type"] for e in r["events"]]
        for r in rows
        if r["table"] == "orders" and r["disposition"] == "translated"
    } == {
        "new": ["OrderPlaced"],
        "released": ["OrderPlaced", "OrderReleasedToWarehouse"],
        "closed": ["OrderPlaced", "OrderCompleted"],
        "closed-via-warehouse": ["OrderPlaced", "OrderReleasedToWarehouse", "OrderCompleted"],
        "cancelled": ["OrderPlaced", "OrderReleasedToWarehouse", "OrderCancelled"],
        "warehouse-says-so": ["OrderPlaced", "OrderReleasedToWarehouse"],
        "warehouse-holds": ["OrderPlaced"],
        "hold": ["OrderPlaced", "ExceptionHoldPlaced"],
        "split": ["OrderPlaced"],
        "no-close-time": ["OrderPlaced", "OrderCompleted"],
    }


def test_rows_that_history_spoilt_go_to_a_person_under_a_name(rows) -> None:
    assert {
        k: end(rows, "orders", k) for k in ("migrated", "no-time", "both", "both-too", "test")
    } == {
        "migrated": ("quarantined", "unreadable-status"),
        "no-time": ("quarantined", "order-without-order-time"),
        "both": ("ambiguous", "closed-and-cancelled"),
        "both-too": ("ambiguous", "closed-and-cancelled"),
        "test": ("no-op", "test-order"),
    }
    assert end(rows, "orders", "no-status") == ("quarantined", "unreadable-status")
    assert end(rows, "orders", "fax") == ("quarantined", "payload:OrderPlaced.channel")
    assert end(rows, "carts", "K2") == ("quarantined", "part-missing:order")
    assert end(rows, "releases", "migrated") == ("quarantined", "contract:release_status:isin")
    reasons = {r["rule"]: r["reason"] for r in rows if r["rule"] == "unreadable-status"}
    assert reasons["unreadable-status"].startswith("An older migration left this status")


def test_the_cart_tells_its_number_and_the_feed_tells_its_time(rows) -> None:
    assert json.loads(events(rows, "new")["OrderPlaced"]["data"]) == {
        "cart_no": "K1",
        "channel": "WEB",
        "currency": "EUR",
        "customer_no": "C-1",
        "placed_at": "2026-10-20T09:00:00.000000Z",
        "total_cents": 1000,
    }
    released = events(rows, "warehouse-says-so")["OrderReleasedToWarehouse"]
    assert (released["time"], released["basis"]) == (RELEASED.replace(tzinfo=None), "effective")


def test_a_hold_is_a_thing_of_its_own_whose_moment_nobody_knows(rows) -> None:
    hold = events(rows, "hold")["ExceptionHoldPlaced"]
    assert (hold["subject"], hold["basis"], hold["confidence"]) == (
        "hold/CRHLD",
        "extract",
        "approximate",
    )
    assert json.loads(hold["data"]) == {"code": "CRHLD", "kind": "credit", "order_no": "hold"}


def test_a_time_that_nobody_wrote_down_is_labelled(rows) -> None:
    assert events(rows, "no-close-time")["OrderCompleted"]["basis"] == "extract"
    assert events(rows, "closed")["OrderCompleted"]["time"] == DONE.replace(tzinfo=None)
    assert events(rows, "closed")["OrderPlaced"]["time"] == ORDERED.replace(tzinfo=None)


def test_every_hold_of_the_legacy_has_a_kind() -> None:
    (kinds,) = [ExceptionHoldPlaced.model_fields["kind"].annotation]
    assert set(HOLDS.values()) == set(kinds.__args__)
    assert len(READABLE) == len(set(READABLE)) == 28


def test_a_change_announces_only_what_became_true_by_it(spark: SparkSession) -> None:
    """An order of before the snapshot is released, closed, and touched once more."""
    then, now = order("A", "BOOKED"), order("A", "RELEASED")
    closed = order("A", "CLOSED", released_at=RELEASED)
    changes = [
        snapshot(then),
        change("u", 1, before=then, after=now),
        change("u", 2, before=now, after=closed),
        change("u", 3, before=closed, after=closed | {"total_cents": 900}),
    ]
    inputs = {
        ErpOrder: changes_table(spark, ErpOrder, changes, consistent_point="0"),
        Cart: changes_table(spark, Cart, []),
        WarehouseRelease: changes_table(spark, WarehouseRelease, []),
    }
    translated = sorted(translate_changes(ErpOrders, inputs).collect(), key=lambda r: r["position"])
    assert [(r["disposition"], [e["type"] for e in r["events"]]) for r in translated] == [
        ("translated", ["OrderPlaced"]),
        ("translated", ["OrderReleasedToWarehouse"]),
        ("translated", ["OrderCompleted"]),
        ("no-op", []),
    ]
