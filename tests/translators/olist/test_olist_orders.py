"""What an Olist order means, on literal rows: each step exactly where its time is recorded."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.merge import with_verdicts
from cutline.engine.project import project
from cutline.engine.translate import translate_changes
from cutline_domains.marketplace import MARKETPLACE, ORDER
from cutline_translators.olist.contracts import Customer, Order, OrderItem
from cutline_translators.olist.orders import OlistOrders
from support.changes import changes_table, snapshot

CUT = dt.datetime(2018, 10, 18, tzinfo=dt.UTC)
TIMES = {
    "bought": "order_purchase_timestamp",
    "approved": "order_approved_at",
    "handed": "order_delivered_carrier_date",
    "delivered": "order_delivered_customer_date",
}


def order(no: str, status: str, **days: int) -> dict[str, object]:
    """An order whose steps happened on the given days of May 2018."""
    times = {
        column: dt.datetime(2018, 5, days[step], 12, tzinfo=dt.UTC) if step in days else None
        for step, column in TIMES.items()
    }
    return {"order_id": no, "customer_id": f"c-{no}", "order_status": status, **times}


def item(no: str, piece: int, price: str, freight: str) -> dict[str, object]:
    return {
        "order_id": no,
        "order_item_id": piece,
        "price": Decimal(price),
        "freight_value": Decimal(freight),
    }


ORDERS = [
    order("whole", "delivered", bought=1, approved=2, handed=3, delivered=4),
    order("early", "shipped", bought=1, approved=3, handed=2),
    order("backwards", "delivered", bought=1, approved=5, handed=2, delivered=4),
    order("unapproved", "delivered", bought=1, handed=2, delivered=4),
    order("before-bought", "shipped", bought=3, approved=3, handed=2),
    order("invoiced", "invoiced", bought=1, approved=2),
    order("processing", "processing", bought=1),
    order("cancelled", "canceled", bought=1),
    order("cancelled-late", "canceled", bought=1, approved=2, handed=3),
    order("unavailable", "unavailable", bought=1, approved=2),
    order("unheard-of", "teleported", bought=1),
]
ITEMS = [
    item("whole", 1, "39.95", "17.93"),
    item("whole", 2, "0.05", "0.10"),
    item("early", 1, "100.00", "0.00"),
]
CUSTOMERS = [
    {"customer_id": "c-whole", "customer_state": "SP"},
    {"customer_id": "c-early", "customer_state": "RJ"},
]


@pytest.fixture(scope="module")
def rows(spark: SparkSession):
    """One translation of all literal rows."""
    tables = {Order: ORDERS, OrderItem: ITEMS, Customer: CUSTOMERS}
    inputs = {c: changes_table(spark, c, [snapshot(r) for r in some]) for c, some in tables.items()}
    return translate_changes(OlistOrders, inputs).cache()


@pytest.fixture(scope="module")
def merged(rows):
    """The merge's judgement of the events."""
    events = candidate_events(rows, Lineage("marketplace", "all", "run", F.lit(CUT)))
    return with_verdicts(events, MARKETPLACE).cache()


@pytest.fixture(scope="module")
def state(merged):
    """The projected orders by id."""
    frame = project(merged.where(F.col("verdict") == "accepted"), ORDER)
    frame.createOrReplaceTempView("state_order")
    return {r["subject"]: r for r in frame.collect()}


def test_each_step_is_announced_exactly_where_its_time_is(rows) -> None:
    placed, approved, handed, delivered = (
        "OrderPlaced",
        "PaymentApproved",
        "OrderHandedToCarrier",
        "OrderDelivered",
    )
    assert {r["subject"]: [e["type"] for e in r["events"]] for r in rows.collect()} == {
        "whole": [placed, approved, handed, delivered],
        "early": [placed, approved, handed],
        "backwards": [placed, approved, handed, delivered],
        "unapproved": [placed, handed, delivered],
        "before-bought": [placed, approved, handed],
        "invoiced": [placed, approved],
        "processing": [placed],
        "cancelled": [placed, "OrderCancelled"],
        "cancelled-late": [placed, approved, handed, "OrderCancelled"],
        "unavailable": [placed, approved, "OrderUnavailable"],
        # Nobody has said what "teleported" means, so nothing is told of it.
        "unheard-of": [],
    }


def test_a_moment_that_nobody_recorded_is_said_to_be_unknown(rows) -> None:
    events = {
        e["type"]: (e["basis"], e["confidence"])
        for r in rows.collect()
        for e in r["events"]
        if r["subject"] in ("cancelled", "unavailable")
    }
    assert events == {
        "OrderPlaced": ("effective", "exact"),
        "PaymentApproved": ("effective", "inferred"),
        "OrderCancelled": ("extract", "approximate"),
        "OrderUnavailable": ("extract", "approximate"),
    }


def test_the_amount_due_is_items_and_freight_to_the_cent(rows) -> None:
    placed = {
        r["subject"]: json.loads(r["events"][0]["data"]) for r in rows.collect() if r["events"]
    }
    assert placed["whole"] == {"amount_due": "58.03", "customer_state": "SP"}
    assert placed["early"] == {"amount_due": "100.00", "customer_state": "RJ"}
    assert placed["invoiced"] == {"amount_due": None, "customer_state": None}


def test_what_came_out_of_order_flows_and_is_found(merged) -> None:
    assert merged.where(F.col("verdict") != "accepted").count() == 0
    findings = merged.select("subject", F.explode("findings.rule").alias("rule")).collect()
    assert sorted((r["rule"], r["subject"]) for r in findings) == [
        ("cancelled-after-hand-over", "cancelled-late"),
        ("delivered-before-approval", "backwards"),
        ("delivered-never-approved", "unapproved"),
        ("handed-over-before-approval", "backwards"),
        ("handed-over-before-approval", "before-bought"),
        ("handed-over-before-approval", "early"),
    ]


def test_the_status_is_the_furthest_that_the_events_tell(state) -> None:
    assert {subject: row["status"] for subject, row in state.items()} == {
        "whole": "delivered",
        "early": "shipped",
        "backwards": "delivered",
        "unapproved": "delivered",
        "before-bought": "shipped",
        "invoiced": "approved",
        "processing": "created",
        "cancelled": "canceled",
        "cancelled-late": "canceled",
        "unavailable": "unavailable",
    }


def test_money_due_is_in_cents_and_not_asked_of_orders_without_items(
    spark: SparkSession, state
) -> None:
    (outcome,) = MARKETPLACE.outcomes
    amounts_by_order = {
        r["subject"]: (r["value"], r["not_eligible"]) for r in spark.sql(outcome.decide).collect()
    }
    assert amounts_by_order.pop("whole") == (5803, None)
    assert amounts_by_order.pop("early") == (10000, None)
    assert set(amounts_by_order.values()) == {(None, "without-items")}
