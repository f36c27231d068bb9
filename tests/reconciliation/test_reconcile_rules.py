"""Column rules that an aggregate declares: what they forgive, what they do not, and what is said."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cutline.context import Aggregate, ColumnRule, count, latest
from cutline.errors import ConfigurationError
from support.reconciled import LINE, ORDER_TRUTH, ORDERS, Slice, Sold

STATE = {"status": latest("status", Sold), "cents": count(Sold), "paid": count(Sold)}
TEXT = ColumnRule(trim=True, ignore_case=True, map={"x": "open"}, null_equals="none")


def declared(**rules: ColumnRule) -> Aggregate:
    return Aggregate("order", "One order.", (Sold,), STATE, rules=rules)


def test_what_rules_forgive_is_a_match_and_counted(shop_slice: Slice) -> None:
    orders = {
        # subject: legacy (status, cents, paid), new
        "same": (("open", 100, 1), ("open", 100, 1)),
        "space": ((" open", 100, 1), ("open", 100, 1)),
        "case": (("Open", 100, 1), ("open", 100, 1)),
        "both": ((" Open", 100, 1), ("open", 100, 1)),
        "code": (("x", 100, 1), ("open", 100, 1)),
        "none": ((None, 100, 1), ("none", 100, 1)),
        "near": (("open", 100, 1), ("open", 102, 1)),
        "paid": (("open", 100, 1), ("open", 100, 9)),
        "far": (("open", 100, 1), ("open", 103, 1)),
        "other way": (("open", 100, 1), ("O", 100, 1)),
        "partly": (("Open", 100, 1), ("open", 150, 1)),
    }
    shop_slice.aggregates = (
        declared(status=TEXT, cents=ColumnRule(tolerance=Decimal(2)), paid=ColumnRule(ignore=True)),
        LINE,
    )
    shop_slice.orders(*((no, *legacy) for no, (legacy, _) in orders.items()))
    rows = [(no, *new[:2], Decimal(new[2])) for no, (_, new) in orders.items()]
    shop_slice.state("order", ORDERS, rows)
    reconciled = shop_slice.reconcile({"order": ORDER_TRUTH})
    assert reconciled.breaks() == {
        ("state", "order", "far", "different", "cents", "100", "103"),
        ("state", "order", "other way", "different", "status", "open", "O"),
        ("state", "order", "partly", "different", "cents", "100", "150"),
    }
    state = reconciled.level("state", "order")
    assert (state["compared"], state["matched"], state["forgiven"]) == (11, 8, 6)
    assert state["columns"] == {"status": 1, "cents": 2}
    assert state["forgiven_by"] == {
        "status.trim": 2, "status.case": 3, "status.map": 1, "status.null_equals": 1,
        "cents.tolerance": 1,
    }  # fmt: skip
    assert reconciled.level("record", "order")["matched"] == 11


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"statuz": TEXT}, "a rule is about 'statuz', which is not one of its state columns. Did"),
        (
            {"cents": ColumnRule(trim=True)},
            "aggregate order: column cents has rule trim, but it is",
        ),
    ],
)
def test_rules_that_cannot_be(shop_slice: Slice, rules: dict[str, Any], message: str) -> None:
    shop_slice.orders(("A", "open", 1, 0))

    def reconcile() -> None:
        shop_slice.aggregates = (declared(**rules), LINE)
        shop_slice.reconcile({"order": ORDER_TRUTH})

    with pytest.raises(ConfigurationError, match=message):
        reconcile()


@pytest.mark.parametrize(
    ("rule", "message"),
    [({}, "it says nothing"), ({"tolerance": Decimal(-1)}, "tolerance is -1, which is below zero")],
)
def test_a_rule_says_something_that_can_be(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        ColumnRule(**rule)
    assert ColumnRule(round=0).round == 0
