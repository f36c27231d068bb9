"""What the stage hands on, byte for byte as control databases keep it, and how it is read back."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from cutline.context import Outcome
from support.reconciled import BY_STATUS, LINE, ORDER_TRUTH, ORDERS, Slice

GOLDEN = Path(__file__).parent / "golden/reconcile_facts.json"
WAIVERS = """
version: 1
waivers:
  - name: known
    match: {level: state, column: cents, subjects: [C], name: order}
    reason: Left by the clean-up.
    owner: Ada
    ticket: T-1
    expires: 2026-12-31
    max_breaks: 2
    max_money: 1E+2
"""
DUE = Outcome(
    name="due",
    question="What is due?",
    aggregate="order",
    decide="SELECT subject, cents AS value, status AS category FROM state_order",
    unit="cents",
)


def test_facts_are_stored_as_they_always_were(shop_slice: Slice) -> None:
    shop_slice.aggregates = (BY_STATUS, LINE)
    shop_slice.orders(
        ("A", "web", 1, 1), ("B", "web", 1, 1), ("C", "web", 5, 1), ("D", "shop", 1, 1),
        ("E", None, 1, 1), ("F", "shop", 1, 1), ("G", "shop", 1, 1),
    )  # fmt: skip
    paid = Decimal(1)
    shop_slice.state(
        "order",
        ORDERS,
        [
            ("A", "web", 1, paid), ("B", "shop", 1, paid), ("C", "web", 2, paid), ("D", "shop", 1, paid),
            ("E", None, 1, paid), ("new", "web", 40, paid),
        ],
    )  # fmt: skip
    shop_slice.exception("odd", "F", "order")
    (shop_slice.folder / "waivers.yaml").write_text(WAIVERS)
    truth = "SELECT no AS subject, cents AS value FROM erp.orders"
    gates = {"state": {"min_match_rate": 0.3}, "outcome": {"max_money": "43.5"}}
    result = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"due": truth}, declared=(DUE,), gates=gates
    ).result
    assert json.dumps(result.stored()["facts"], indent=1) + "\n" == GOLDEN.read_text()
