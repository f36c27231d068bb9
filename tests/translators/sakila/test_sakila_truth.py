"""What Sakila itself says, by SQL on its tables: as texts of a file, and as SQLite's numbers."""

from __future__ import annotations

import sqlite3

import pytest

from cutline_translators.sakila import SAKILA_1

TEXTS = """
CREATE TABLE sakila.inventory (inventory_id, film_id, store_id);
CREATE TABLE sakila.rental (rental_id, rental_date, inventory_id, customer_id, return_date);
CREATE TABLE sakila.payment (payment_id, customer_id, rental_id, amount);
"""
NUMBERS = """
CREATE TABLE sakila.inventory (inventory_id integer, film_id integer, store_id integer);
CREATE TABLE sakila.rental (
  rental_id integer, rental_date text, inventory_id integer, customer_id integer, return_date text);
CREATE TABLE sakila.payment (
  payment_id integer, customer_id integer, rental_id integer, amount numeric(5,2));
"""
ROWS = """
INSERT INTO sakila.inventory VALUES ('367', '80', '1'), ('485', '110', '2');
INSERT INTO sakila.rental VALUES
  ('1', '2005-05-24 22:53:30', '367', '130', '2005-05-26 22:04:30'),
  ('2', '2006-02-14 15:16:03', '485', '131', NULL),
  ('3', '2006-02-14 15:16:03', '999', '132', NULL);
INSERT INTO sakila.payment VALUES
  ('1', '130', '1', '2.99'), ('2', '546', '1', '999.99'), ('3', '130', '1', '0.01'),
  ('4', '131', '2', '0.00'), ('5', '131', '2', '1.1');
"""


@pytest.fixture(params=[TEXTS, NUMBERS], ids=["texts", "numbers"])
def legacy(request: pytest.FixtureRequest):
    """A rental that came back, an open one of another store, and one of a copy that nobody knows."""
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ':memory:' AS sakila")
    database.executescript(request.param + ROWS)
    return database


def ask(legacy: sqlite3.Connection, sql: str, region: str) -> list[tuple[object, ...]]:
    return sorted(legacy.execute(sql, {"region": region}).fetchall())


def test_a_rental_with_all_that_the_till_booked_on_it(legacy) -> None:
    rental = SAKILA_1.truth.aggregates["rental"]
    first = ("1", "returned", 130, 367, 80, 1, "2005-05-24 22:53:30", "2005-05-26 22:04:30")
    second = ("2", "out", 131, 485, 110, 2, "2006-02-14 15:16:03", None)
    third = ("3", "out", 132, 999, None, None, "2006-02-14 15:16:03", None)
    assert ask(legacy, rental, "all") == [
        (*first, 3, 299 + 99_999 + 1),
        (*second, 2, 110),
        (*third, 0, 0),
    ]
    assert ask(legacy, rental, "2") == [(*second, 2, 110)]


def test_the_copies_that_nobody_has_brought_back(legacy) -> None:
    out = SAKILA_1.truth.outcomes["copies_out"]
    assert ask(legacy, out, "all") == [("2", 485), ("3", 999)]
    assert ask(legacy, out, "1") == []


def test_money_is_in_cents_and_none_of_it_is_left_out(legacy) -> None:
    money = SAKILA_1.truth.outcomes["money_received"]
    assert ask(legacy, money, "all") == [("1", 100_299), ("2", 110), ("3", 0)]
    assert ask(legacy, money, "1") == [("1", 100_299)]
