"""What Olist itself says, by SQL on its tables as text."""

from __future__ import annotations

import sqlite3

import pytest

from cutline_translators.olist import OLIST_1


@pytest.fixture
def legacy():
    """Three orders in two states, a doubled id and none; money as text in every way in which it may be written."""
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ':memory:' AS olist")
    database.executescript(
        """
        CREATE TABLE olist.customers (customer_id, customer_state);
        CREATE TABLE olist.orders (order_id, customer_id, order_status);
        CREATE TABLE olist.order_payments (order_id, payment_value);
        INSERT INTO olist.customers VALUES ('c1', 'SP'), ('c2', 'SP'), ('c3', 'RJ'), ('c1', 'SP');
        INSERT INTO olist.orders VALUES
          ('paid', 'c1', 'delivered'), ('unpaid', 'c2', 'invoiced'), ('rio', 'c3', 'shipped'),
          ('twin', 'c1', 'created'), ('twin', 'c3', 'canceled'), (NULL, 'c1', 'created'),
          (NULL, 'c3', 'created');
        INSERT INTO olist.order_payments VALUES
          ('paid', '90071992547409.93'), ('paid', '0.07'), ('paid', '40'), ('paid', '.5'),
          ('paid', '1.2'), ('rio', '165.67'), ('nobody', '1.00');
        """
    )
    return database


def ask(legacy: sqlite3.Connection, sql: str, region: str) -> dict[str, object]:
    return dict(legacy.execute(sql, {"region": region}).fetchall())


def test_money_is_added_in_cents_and_never_through_a_float(legacy) -> None:
    paid = OLIST_1.truth.outcomes["money_due"]
    assert ask(legacy, paid, "all") == {
        "paid": 9007199254740993 + 7 + 4000 + 50 + 120,
        "unpaid": 0,
        "rio": 16567,
    }
    assert ask(legacy, paid, "RJ") == {"rio": 16567}


def test_status_is_the_column_as_it_stands_once_per_order(legacy) -> None:
    status = OLIST_1.truth.aggregates["order"]
    assert ask(legacy, status, "SP") == {"paid": "delivered", "unpaid": "invoiced"}
    assert len(legacy.execute(status, {"region": "all"}).fetchall()) == 3
