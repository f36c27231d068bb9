"""Decisions that differ are linked to what differs below them, subject by subject."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyspark.sql import Row

from cutline.context import Aggregate, Event, Outcome
from support.reconciled import LINE, LINES, OPEN, OPEN_TRUTH, ORDER, ORDER_TRUTH, ORDERS, Slice


class Counted(Event):
    """Stock was counted."""


STOCK = Aggregate(name="stock", doc="What is there of an article.", events=(Counted,), state={})
STOCKS = "subject string, reserved bigint, shelf string"
STOCK_TRUTH = "SELECT no AS subject, reserved, shelf FROM erp.stock"
PROMISED = Outcome(
    name="promised",
    question="Which orders can be promised?",
    aggregate="order",
    decide="""
    SELECT o.subject, CASE WHEN s.reserved < 5 THEN 'promise' ELSE 'wait' END AS value
    FROM state_order o JOIN state_stock s ON s.subject = o.status
    """,
    looks_at="SELECT subject, status AS stock FROM state_order UNION ALL "
    "SELECT subject, 'HOT' FROM state_order",
)
PROMISED_TRUTH = """
SELECT o.no AS subject, CASE WHEN s.reserved < 5 THEN 'promise' ELSE 'wait' END AS value
FROM erp.orders o JOIN erp.stock s ON s.no = o.status
"""
NEEDS = {
    **{f"A{i}": ("X1", "X2", "X3")[i % 3] for i in range(8)},
    **{f"B{i}": "GOOD" for i in range(17)},
    # Whatever was reserved of it, they wait.
    **{f"C{i}": "SCARCE" for i in range(2)},
    # An order that is called as an article is, and differs.
    "X1": "GOOD",
}
LEGACY = {"X1": 1, "X2": 1, "X3": 1, "GOOD": 1, "SCARCE": 6, "HOT": 1, "A1": 1}
NEW = LEGACY | {"X1": 6, "X2": 6, "X3": 7, "SCARCE": 9, "A1": 2}


@pytest.fixture
def promised(shop_slice: Slice) -> Slice:
    """Eight orders that would wait for articles of which too much is reserved, and 20 others."""
    shop_slice.aggregates = (ORDER, STOCK)
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE stock(no TEXT, reserved, shelf TEXT)",
        rows={
            "orders": [(no, sku, 100, 0, "north") for no, sku in NEEDS.items()],
            "stock": [(sku, n, "here") for sku, n in LEGACY.items()],
        },
    )
    shop_slice.state(
        "order",
        ORDERS,
        [(no, sku, 101 if no == "X1" else 100, Decimal(0)) for no, sku in NEEDS.items()],
    )
    shelves = {"HOT": "there"}
    shop_slice.state(
        "stock", STOCKS, [(sku, n, shelves.get(sku, "here")) for sku, n in NEW.items()]
    )
    return shop_slice


def decision_cluster(clusters: list[Row]) -> Row:
    (cluster,) = (row for row in clusters if row.level == "outcome")
    return cluster


def test_decisions_are_linked_to_what_they_look_at_and_to_no_namesake(promised: Slice) -> None:
    reconciled = promised.reconcile(
        {"order": ORDER_TRUTH, "stock": STOCK_TRUTH},
        {"promised": PROMISED_TRUTH},
        declared=(PROMISED,),
    )
    cluster = decision_cluster(reconciled.rows("clusters"))
    assert (cluster.subjects, cluster.matched, cluster.cause) == (8, 20, "stock.reserved differs")
    assert (cluster.with_cause, cluster.matched_with_cause, cluster.settled) == (8, 2, 8)
    assert (cluster.fed_subjects, cluster.fed_amount) == (3, Decimal(16))
    assert cluster.why == (
        "8 of 8 look at stock whose reserved differs (3 subjects, +16); of the 20 that match, 2 "
        "do. With the legacy's reserved there, 8 of 8 are decided as the legacy does, and none "
        "that matches is decided otherwise."
    )
    assert cluster.sentence == f"8 decisions of promised: promise → wait. {cluster.why}"
    stock = {row.cluster for row in reconciled.rows("clusters") if row.column == "reserved"}
    assert set(cluster.fed_by) <= stock
    # What all look at is a link as well. Neither the order X1 nor the article A1 feeds anything.
    links = {
        (r.subject, r.by_level, r.by_name, r.by_subject, r.by_column)
        for r in reconciled.rows("links")
    }
    broken = {no: sku for no, sku in NEEDS.items() if no.startswith("A")}
    assert links == {(no, "state", "stock", sku, "reserved") for no, sku in broken.items()} | {
        (no, "state", "stock", "HOT", "shelf") for no in broken
    }


def test_a_decision_looks_at_its_own_subject_unasked(shop_slice: Slice) -> None:
    names = [f"A{i}" for i in range(3)] + [f"B{i}" for i in range(20)]
    shop_slice.orders(*((no, "open", 1, 0) for no in names))
    shop_slice.state(
        "order", ORDERS, [(n, "shut" if n[0] == "A" else "open", 1, Decimal(0)) for n in names]
    )
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"open_orders": OPEN_TRUTH}, declared=(OPEN,)
    )
    cluster = decision_cluster(reconciled.rows("clusters"))
    assert cluster.sentence == (
        "3 decisions of open_orders: open → not there. 3 of 3 differ in order.status as well; of "
        "the 20 that match, none does. With the legacy's status there, 3 of 3 are decided as the "
        "legacy does, and none that matches is decided otherwise."
    )


def test_what_the_new_side_lost_is_looked_at_as_the_legacy_has_it(shop_slice: Slice) -> None:
    outcome = Outcome(
        name="size",
        question="How many lines has an order?",
        aggregate="order",
        decide="SELECT substring_index(subject, '/', 1) AS subject, count(*) AS value "
        "FROM state_line GROUP BY 1",
        looks_at="SELECT substring_index(subject, '/', 1) AS subject, subject AS line "
        "FROM state_line",
    )
    shop_slice.aggregates = (ORDER, LINE)
    orders = [f"O{i}" for i in range(4)]
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
        rows={"lines": [(no, line, "S", 1) for no in orders for line in (1, 2)]},
    )
    new_lines = [(no, line) for no in orders for line in (1, 2) if (no, line) != ("O1", 2)]
    shop_slice.state("line", LINES, [(f"{no}/{line}", "S", []) for no, line in new_lines])
    reconciled = shop_slice.reconcile(
        {"line": "SELECT no || '/' || line AS subject, sku FROM erp.lines"},
        {"size": "SELECT no AS subject, count(*) AS value FROM erp.lines GROUP BY no"},
        declared=(outcome,),
    )
    cluster = decision_cluster(reconciled.rows("clusters"))
    assert (cluster.cause, cluster.settled) == ("line: only the legacy has it", None)
    assert cluster.why == (
        "1 of 1 looks at line that only the legacy has (1 subject); of the 3 that match, none does."
    )
    (link,) = reconciled.rows("links")
    assert (link.subject, link.by_level, link.by_subject) == ("O1", "record", "O1/2")
