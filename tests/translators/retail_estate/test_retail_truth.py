"""The legacy's answers on literal rows: who is in them, who is left out, and what they say."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from cutline_domains.fulfilment import FULFILMENT
from cutline_translators.retail.estate.erp import AVAILABILITY, DDL
from cutline_translators.retail.truth import TRUTH

ERP_COLUMNS = ("status", "ordered_at", "closed_at", "cancelled_at")


@pytest.fixture
def legacy() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    for name in ("erp", "shop", "warehouse"):
        database.execute(f"ATTACH ':memory:' AS {name}")
    for statement in (DDL + AVAILABILITY).split(";"):
        database.execute(statement.replace("CREATE TABLE ", "CREATE TABLE erp."))
    database.execute(
        "CREATE TABLE shop.payments (order_no TEXT, region TEXT, amount_cents INT, status TEXT)"
    )
    database.execute(
        "CREATE TABLE warehouse.shipments (shipment_no TEXT, order_no TEXT, region TEXT, "
        "carrier TEXT, status TEXT, dispatched_at TEXT, delivered_at TEXT)"
    )
    return database


def order(database: sqlite3.Connection, number: str, status: str, **columns: Any) -> None:
    row = {"order_no": number, "region": "eu-west", "channel": "WEB", "status": status}
    row |= {"total_cents": 100, "ordered_at": "2026-10-01T08:00:00Z"} | columns
    insert(database, "erp.orders", row)


def line(database: sqlite3.Connection, number: str, line_no: int, sku: str, **columns: Any) -> None:
    row = {"order_no": number, "line_no": line_no, "region": "eu-west", "sku": sku}
    insert(database, "erp.order_lines", row | {"quantity": 1, "line_status": "OPEN"} | columns)


def insert(database: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def answer(database: sqlite3.Connection, name: str) -> list[tuple[Any, ...]]:
    sql = TRUTH.aggregates.get(name) or TRUTH.outcomes[name]
    return sorted(database.execute(sql, {"region": "eu-west"}).fetchall())


def orders_of_all_kinds(database: sqlite3.Connection) -> None:
    order(database, "1", "NEW")
    order(database, "2", "RELEASED")
    order(database, "3", "CLOSED", closed_at="2026-10-02T08:00:00Z")
    order(database, "4", "CANCL", cancelled_at="2026-10-02T08:00:00Z")
    order(database, "5", "SPLIT")
    order(database, "6", "CRHLD")
    order(database, "7", "NEW", region="us-east")
    order(database, "8", "TESTO")
    order(database, "9", "MIGR2")
    order(database, "10", "RELEASED", ordered_at=None)
    order(database, "11", "CLOSED", cancelled_at="2026-10-02T08:00:00Z")
    order(database, "12", "CANCL", closed_at="2026-10-02T08:00:00Z")
    order(database, "13", "TAXHL", ordered_at=None)


def test_customer_orders(legacy: sqlite3.Connection) -> None:
    orders_of_all_kinds(legacy)
    for amount, status in ((70, "CAPTURED"), (30, "CAPTURED"), (100, "FAILED"), (100, "REFUNDED")):
        insert(
            legacy,
            "shop.payments",
            {"order_no": "2", "region": "eu-west", "amount_cents": amount, "status": status},
        )
    placed_at = "2026-10-01T08:00:00Z"
    assert answer(legacy, "customer_order") == [
        ("1", "placed", "WEB", 100, placed_at, 0),
        ("2", "released", "WEB", 100, placed_at, 100),
        ("3", "completed", "WEB", 100, placed_at, 0),
        ("4", "cancelled", "WEB", 100, placed_at, 0),
        ("5", "placed", "WEB", 100, placed_at, 0),
        ("6", "placed", "WEB", 100, placed_at, 0),
    ]
    assert answer(legacy, "orders_released") == [("2", "released")]
    assert answer(legacy, "orders_cancelled") == [("4", "cancelled")]
    assert answer(legacy, "exception_hold") == [("6/CRHLD", "6", "CRHLD", "credit")]


def test_fulfilment_lines(legacy: sqlite3.Connection) -> None:
    order(legacy, "1", "MIGR1")
    line(legacy, "1", 1, "A")
    line(legacy, "1", 2, "A", line_status="ALLOCATED", quantity=2)
    line(legacy, "1", 3, "A", line_status="SHIPPED")
    line(legacy, "1", 4, "A", line_status="CANCELLED")
    line(legacy, "1", 5, "A", line_status="CANCELLED", allocated_at="2026-10-01T08:00:00Z")
    line(legacy, "1", 6, "A", quantity=-1)
    line(legacy, "1", 7, "A", region="us-east")
    line(legacy, "2", 1, "A")
    assert answer(legacy, "fulfilment_line") == [
        ("1/1", "ordered", "1", "eu-west", "A", 1, 0),
        ("1/2", "ordered", "1", "eu-west", "A", 2, 1),
        ("1/3", "shipped", "1", "eu-west", "A", 1, 1),
        ("1/4", "cancelled", "1", "eu-west", "A", 1, 0),
        ("1/5", "cancelled", "1", "eu-west", "A", 1, 1),
    ]


def test_stock(legacy: sqlite3.Connection) -> None:
    legacy.executemany(
        "INSERT INTO erp.availability VALUES (?, ?, ?, ?, ?, ?)",
        [
            ("A", "eu-west", 10, 9, 3, 5),
            ("B", "us-east", 1, 1, 0, 1),
            ("BND", "eu-west", 0, 0, 0, 0),
        ],
    )
    assert answer(legacy, "reservable_inventory") == [
        ("eu-west/A", "eu-west", "A", 10, -2, 9, 3),
        ("eu-west/BND", "eu-west", "BND", 0, 0, 0, 0),
    ]


def test_parcels(legacy: sqlite3.Connection) -> None:
    early, late = "2026-10-01T08:00:00Z", "2026-10-02T08:00:00Z"
    for number, status, left, came in (
        ("1", "DISPATCHED", early, None),
        ("2", "DELIVERED", early, late),
        ("3", "DELIVERED", early, None),
        ("4", "DISPATCHED", None, None),
        ("5", "DISPATCHED", "", ""),
        ("6", "DELIVERED", late, early),
        ("7", "LABELLED", None, None),
        ("8", "DISPATCHED", "yesterday", None),
        ("9", None, None, None),
        ("10", "DELIVERED", None, late),
    ):
        row = (number, "SO", "eu-west", "Post", status, left, came)
        legacy.execute("INSERT INTO warehouse.shipments VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    assert answer(legacy, "shipment_leg") == [
        ("1", "dispatched", "SO", "Post", early),
        ("2", "delivered", "SO", "Post", early),
        ("3", "delivered", "SO", "Post", early),
        ("4", "dispatched", "SO", "Post", None),
        ("5", "dispatched", "SO", "Post", None),
    ]


def test_promises(legacy: sqlite3.Connection) -> None:
    legacy.execute("INSERT INTO erp.bundle_components VALUES ('BND', 'A', 2), ('BND', 'B', 1)")
    legacy.executemany(
        "INSERT INTO erp.availability VALUES (?, 'eu-west', 0, 0, 0, ?)",
        [("A", 4), ("B", 1), ("BND", 0)],
    )
    order(legacy, "1", "NEW")
    line(legacy, "1", 1, "A", quantity=4)
    line(legacy, "1", 2, "A", quantity=4)
    order(legacy, "2", "CRHLD")
    line(legacy, "2", 1, "BND")
    order(legacy, "3", "BOOKED")
    line(legacy, "3", 1, "A")
    line(legacy, "3", 2, "BND", quantity=2)
    order(legacy, "4", "NEW")
    line(legacy, "4", 1, "NEVER-COUNTED")
    order(legacy, "5", "ALLOCATED")
    line(legacy, "5", 1, "A", line_status="ALLOCATED")
    order(legacy, "6", "NEW")
    line(legacy, "6", 1, "A", quantity=-1)
    for number, status in (("7", "RELEASED"), ("8", "Z9999"), ("9", "CANCL"), ("10", "CLOSED")):
        order(legacy, number, status)
        line(legacy, number, 1, "A")
    order(legacy, "11", "NEW", ordered_at=None)
    line(legacy, "11", 1, "A")
    assert answer(legacy, "orders_to_promise") == [
        ("1", "promise"),
        ("2", "promise"),
        ("3", "wait"),
        ("4", "wait"),
    ]


def test_it_answers_for_every_aggregate_and_outcome() -> None:
    assert set(TRUTH.aggregates) == {a.name for a in FULFILMENT.aggregates}
    assert set(TRUTH.outcomes) == {o.name for o in FULFILMENT.outcomes}


def test_it_vouches_for_columns_that_the_state_has(legacy: sqlite3.Connection) -> None:
    for aggregate in FULFILMENT.aggregates:
        cursor = legacy.execute(TRUTH.aggregates[aggregate.name], {"region": "eu-west"})
        columns = {d[0] for d in cursor.description}
        assert columns <= {"subject", *aggregate.state}
        assert len(columns) > 3


def test_every_answer_says_who_is_left_out() -> None:
    for sql in (TRUTH.aggregates | TRUTH.outcomes).values():
        assert sql.startswith("-- One row per ")
        assert "left out" in sql.split("SELECT")[0].lower()
