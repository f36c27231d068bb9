"""Noise and drift: what the legacy, asked at two moments, does not agree with itself on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from cutline.context import Outcome
from cutline.errors import ConfigurationError, RunFailed
from support.reconciled import ORDERS, Slice

MONEY = Outcome(
    name="money",
    question="How much is due?",
    aggregate="order",
    decide="SELECT subject, cents AS value FROM state_order",
    unit="cents",
    tolerance=Decimal(1),
)
MONEY_TRUTH = "SELECT no AS subject, cents AS value FROM erp.orders"


def two_moments(shop_slice: Slice, *then: tuple[Any, ...]) -> None:
    """The orders that stand there become the baseline's; `then` are those of the run."""
    (shop_slice.folder / "erp.db").rename(shop_slice.folder / "before.db")
    shop_slice.orders(*then)
    shop_slice.sources["erp"]["baseline"] = "before.db"


def test_drift_is_what_breaks_beyond_the_noise(shop_slice: Slice) -> None:
    shop_slice.orders(("same", "", 100, 0), ("noisy", "", 100, 0), ("near", "", 100, 0),
                 ("gone", "", 100, 0), ("drifts", "", 100, 0))  # fmt: skip
    two_moments(shop_slice, ("same", "", 100, 0), ("noisy", "", 200, 0), ("near", "", 101, 0),
                ("new", "", 100, 0), ("drifts", "", 100, 0))  # fmt: skip
    rows = [("same", 100), ("noisy", 100), ("near", 150), ("drifts", 150), ("gone", 100)]
    shop_slice.state("order", ORDERS, [(no, "", cents, None) for no, cents in rows])
    gates = {"outcome": {"max_drift": 1}}
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,), gates=gates)
    churned = {row["subject"]: row["churned"] for row in reconciled.rows("outcomes")}
    assert {no for no, yes in churned.items() if yes} == {"noisy", "gone", "new"}
    level = reconciled.level("outcome", "money")
    assert (level["noise"], level["noise_compared"], level["drift"]) == (3, 6, 2)
    assert level["compared"] - level["agree"] - level["within_tolerance"] == 5
    assert reconciled.result.decided_by == (
        "Outcome: 2 decisions of money differ beyond the noise (3 of 6 changed in the legacy "
        "itself), at most 1 accepted: 'How much is due?'"
    )


def test_without_a_baseline_nobody_knows_the_drift(shop_slice: Slice) -> None:
    shop_slice.orders(("same", "", 100, 0))
    shop_slice.state("order", ORDERS, [("same", "", 100, None)])
    gates = {"outcome": {"max_drift": 9}}
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,), gates=gates)
    assert reconciled.level("outcome", "money")["drift"] is None
    assert reconciled.result.decided_by == (
        "Outcome: no baseline tells the noise of money, so its drift is not known: "
        "'How much is due?'"
    )


@pytest.mark.parametrize(
    ("before", "place", "error", "message"),
    [
        (("A", "", "many", 0), "before.db", RunFailed, "outcome money: at the baseline 1 subjects"),
        (("A", "", 1, 0), "gone.db", ConfigurationError, "gone.db, which is not there"),
    ],
)
def test_a_baseline_that_cannot_be_used(
    shop_slice: Slice, before: tuple[Any, ...], place: str, error: type[Exception], message: str
) -> None:
    shop_slice.orders(before)
    two_moments(shop_slice, ("A", "", 1, 0))
    shop_slice.sources["erp"]["baseline"] = place
    shop_slice.state("order", ORDERS, [("A", "", 1, None)])
    with pytest.raises(error, match=message):
        shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,))
