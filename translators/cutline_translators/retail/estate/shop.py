"""The web shop's database: customers, carts and payments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools, Chance, rare_places
from cutline_translators.estate.columns import blanked, codes, concat_text, words_at
from cutline_translators.estate.moments import DAY, EXTRACT, NULL, Ints, iso
from cutline_translators.estate.sqlite import Loader, create
from cutline_translators.retail.estate.lines import FIRST_ORPHAN
from cutline_translators.retail.estate.orders import DraftedOrders
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.rows import order_number
from cutline_translators.retail.estate.statuses import CANCELLED, NEW, WEB

ABANDONED = 0.08
"""Abandoned carts, by the number of orders."""
UNKNOWN_CART = 0.0005
PAYMENT_WITHOUT_ORDER = 0.0005
TIME_UNKNOWN = 0.003

DDL = """
CREATE TABLE customers (customer_no TEXT PRIMARY KEY, region TEXT, name TEXT, email TEXT);
CREATE TABLE carts (
  cart_no TEXT PRIMARY KEY, order_no TEXT, customer_no TEXT, region TEXT, status TEXT,
  total_cents INTEGER, submitted_at TEXT
);
CREATE TABLE payments (
  payment_no TEXT PRIMARY KEY, order_no TEXT, region TEXT, method TEXT, amount_cents INTEGER,
  status TEXT, paid_at TEXT
);
"""

_FIRST_NAMES = ("Ada", "Ben", "Chloe", "Dario", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jonas")
_LAST_NAMES = ("Archer", "Brandt", "Costa", "Dubois", "Eriksen", "Fischer", "Garcia", "Haddad")
_METHODS = ("CARD", "WALLET", "INVOICE", "VOUCHER")


def create_shop(path: Path) -> None:
    """The shop's database without rows."""
    create(path, DDL)


def customers_table(chance: Chance, customers: int) -> pa.Table:
    """The rows of `customers`."""
    rng, number = chance.of("customers"), np.arange(1, customers + 1)
    name = pc.binary_join_element_wise(
        words_at(_FIRST_NAMES, rng.integers(0, len(_FIRST_NAMES), customers)),
        words_at(_LAST_NAMES, rng.integers(0, len(_LAST_NAMES), customers)),
        " ",
    )
    return pa.table(
        {
            "customer_no": codes("C", number, 7),
            "region": words_at(REGIONS, (number > customers * 6 // 10).astype(np.int64)),
            "name": name,
            "email": concat_text("customer", pa.array(number).cast(pa.string()), "@example.com"),
        }
    )


class Shop:
    """Adds carts and payments of one chunk of orders after the other; numbers run on."""

    def __init__(self, database: Loader) -> None:
        self._database = database
        self._carts = 0
        self._payments = 0
        self._strangers = FIRST_ORPHAN + 5_000_000

    def add(self, rng: np.random.Generator, drafted: DraftedOrders, least: int) -> None:
        """Carts and payments of some orders. Unreadable and test orders have none."""
        self._add_carts(rng, drafted, least)
        self._add_payments(rng, drafted, least)

    def _add_carts(self, rng: np.random.Generator, drafted: DraftedOrders, least: int) -> None:
        orders = drafted.orders
        online = (
            drafted.readable & (orders.channel == WEB) & (rng.random(len(orders.number)) < 0.96)
        )
        source = np.flatnonzero(online)
        left = rng.integers(0, len(orders.number), round(len(orders.number) * ABANDONED))
        strange = rare_places(rng, online, orders.region, UNKNOWN_CART, least)
        place = np.concatenate([source, left, strange])
        kind = np.repeat([0, 1, 2], [len(source), len(left), len(strange)])
        number = orders.number[place]
        number[kind == 2] = self._strange(len(strange))
        shown = orders.total[place] + np.where(
            rng.random(len(place)) < 0.01, rng.integers(-500, 500, len(place)), 0
        )
        ordered = drafted.course[place, 0]
        submitted = ordered - rng.integers(0, 30, len(place))
        self._database.add(
            "carts",
            pa.table(
                {
                    "cart_no": self._numbers("CA", "_carts", len(place)),
                    "order_no": blanked(order_number(number), kind == 1),
                    "customer_no": codes("C", orders.customer[place], 7),
                    "region": words_at(REGIONS, orders.region[place]),
                    "status": words_at(("SUBMITTED", "ABANDONED"), (kind == 1).astype(np.int64)),
                    "total_cents": pa.array(np.maximum(shown, 0)),
                    "submitted_at": iso(submitted),
                }
            ),
        )

    def _add_payments(self, rng: np.random.Generator, drafted: DraftedOrders, least: int) -> None:
        orders = drafted.orders
        chance = rng.random(len(orders.number))
        paid = drafted.readable & (chance < np.where(orders.status == NEW, 0.6, 0.97))
        source = np.flatnonzero(paid)
        failed = source[rng.random(len(source)) < 0.03]
        strange = rare_places(rng, paid, orders.region, PAYMENT_WITHOUT_ORDER, least)
        place = np.concatenate([source, failed, strange])
        kind = np.repeat([0, 1, 2], [len(source), len(failed), len(strange)])
        number = orders.number[place]
        number[kind == 2] = self._strange(len(strange))
        back = (kind == 0) & (orders.status[place] == CANCELLED) & (rng.random(len(place)) < 0.9)
        total = orders.total[place]
        amount = np.where(rng.random(len(place)) < 0.01, total * 9 // 10, total)
        paid_at = np.minimum(
            drafted.course[place, 0] + rng.integers(5, DAY, len(place)), EXTRACT - 60
        )
        paid_at[self._unknown(rng, kind == 0, orders.region[place], least)] = NULL
        self._database.add(
            "payments",
            pa.table(
                {
                    "payment_no": self._numbers("PY", "_payments", len(place)),
                    "order_no": order_number(number),
                    "region": words_at(REGIONS, orders.region[place]),
                    "method": words_at(_METHODS, rng.integers(0, len(_METHODS), len(place))),
                    "amount_cents": pa.array(amount),
                    "status": words_at(
                        ("CAPTURED", "FAILED", "REFUNDED"), np.where(kind == 1, 1, back * 2)
                    ),
                    "paid_at": iso(paid_at),
                }
            ),
        )

    @staticmethod
    def _unknown(rng: np.random.Generator, eligible: Bools, region: Ints, least: int) -> Ints:
        return rare_places(rng, eligible, region, TIME_UNKNOWN, least)

    def _strange(self, count: int) -> Ints:
        self._strangers += count
        return np.arange(self._strangers - count, self._strangers)

    def _numbers(self, prefix: str, counter: str, count: int) -> pa.Array:
        first = getattr(self, counter) + 1
        setattr(self, counter, first + count - 1)
        return codes(prefix, np.arange(first, first + count), 8)
