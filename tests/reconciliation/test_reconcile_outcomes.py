"""Decisions of both sides, as populations and values."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from cutline.context import Outcome
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline_reconciliation.levels.categories import by_category
from support.reconciled import ORDERS, Slice

MONEY = Outcome(
    name="money",
    question="How much is due?",
    aggregate="order",
    decide="""
    SELECT subject, cents AS value, CASE WHEN status = 'gift' THEN 'a gift' END AS not_eligible
    FROM state_order
    """,
    unit="cents",
    tolerance=Decimal(1),
)
MONEY_TRUTH = "SELECT no AS subject, cents AS value FROM erp.orders"


def test_populations_and_values(shop_slice: Slice) -> None:
    shop_slice.orders(
        ("same", "", 100, 0), ("near", "", 100, 0), ("far", "", 100, 0), ("lost", "", 100, 0),
        ("half a cent", "", 100.5, 0), ("out", "", None, 0), ("gift", "gift", 100, 0),
        ("nobody's", "", None, 0),
    )  # fmt: skip
    shop_slice.state(
        "order",
        ORDERS,
        [
            ("same", "", 100, None), ("near", "", 101, None), ("far", "", 102, None),
            ("half a cent", "", 99, None), ("out", "", 100, None), ("gift", "gift", 7, None),
            ("free gift", "gift", None, None), ("nobody's", "", None, None),
        ],
    )  # fmt: skip
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,))
    assert reconciled.outcomes() == {
        ("same", "agree", "100", "100", None),
        ("near", "within-tolerance", "100", "101", None),
        ("far", "differ", "100", "102", None),
        ("half a cent", "differ", "100.5", "99", None),
        ("lost", "only-legacy", "100", None, None),
        ("out", "only-new", None, "100", None),
        ("gift", "not-eligible", "100", "7", "a gift"),
        ("free gift", "not-eligible", None, None, "a gift"),
    }
    amounts = {r.subject: r.amount for r in reconciled.rows("outcomes")}
    assert (amounts["same"], amounts["far"], amounts["half a cent"]) == (0, 2, Decimal("-1.5"))
    assert amounts["lost"] is None
    assert reconciled.breaks() == {
        ("outcome", "money", "far", "different", "value", "100", "102"),
        ("outcome", "money", "half a cent", "different", "value", "100.5", "99"),
        ("outcome", "money", "lost", "missing", None, "100", None),
        ("outcome", "money", "out", "unexpected", None, None, "100"),
    }
    level = reconciled.level("outcome", "money")
    assert (level["compared"], level["agree"], level["within_tolerance"]) == (6, 1, 1)
    assert (level["differ"], level["only_legacy"], level["only_new"]) == (2, 1, 1)
    assert (level["not_eligible"], level["unit"]) == (2, "cents")
    assert reconciled.result.decided_by == (
        "Outcome: 4 of 6 decisions of money differ (33.33 % agree, 100 % needed): "
        "'How much is due?'"
    )


def test_views_of_a_run_are_gone_afterwards(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "", 1, 0))
    shop_slice.state("order", ORDERS, [("A", "", 1, None)])
    shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,))
    assert not [t for t in shop_slice.spark.catalog.listTables() if t.name.startswith("state_")]


def test_an_outcome_that_the_legacy_does_not_answer_is_never_go(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 1, 0))
    shop_slice.state("order", ORDERS, [("A", "open", 1, Decimal(0))])
    truth = {"order": "SELECT no AS subject, cents FROM erp.orders"}
    reconciled = shop_slice.reconcile(truth, declared=(MONEY,))
    assert reconciled.result.decided_by == (
        "Outcome: nothing was compared, which is never GO: 'How much is due?'"
    )
    assert reconciled.rows("outcomes") == []


def test_what_the_new_side_decides_twice_is_a_break(shop_slice: Slice) -> None:
    """A doubled row of a state must not stop the run that is to find it."""
    shop_slice.orders(("A", "", 1, 0), ("B", "", 1, 0))
    shop_slice.state("order", ORDERS, [("A", "", 1, None), ("A", "", 1, None), ("B", "", 1, None)])
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,))
    assert reconciled.outcomes() == {
        ("A", "duplicated", "1", None, None),
        ("B", "agree", "1", "1", None),
    }
    assert [(b.subject, b.kind) for b in reconciled.rows("breaks")] == [("A", "duplicated")]
    assert reconciled.level("outcome", "money")["duplicated"] == 1
    assert reconciled.result.decision == "no-go"


def test_what_a_doubled_decision_puts_at_risk_is_not_known(shop_slice: Slice) -> None:
    shop_slice.orders(("B", "", 5, 0))
    shop_slice.state(
        "order", ORDERS, [("A", "", 900, None), ("A", "", 900, None), ("B", "", 8, None)]
    )
    gates = {"outcome": {"min_match_rate": 0, "max_money": 10}}
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,), gates=gates)
    assert reconciled.level("outcome", "money")["at_risk"] is None
    assert reconciled.result.decided_by.startswith(
        "Outcome: what the breaks put at risk is no amount, and at most 10 cents accepted"
    )
    shop_slice.state("order", ORDERS, [("B", "", 8, None)])
    once = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,), gates=gates)
    assert once.level("outcome", "money")["at_risk"] == "3"
    assert once.result.decision == "go"


def test_of_a_category_as_well(spark: SparkSession) -> None:
    rows = [
        ("web", "broken", 3), ("web", "broken", None), ("shop", "broken", 3),
        ("shop", "broken", 4), ("shop", "matched", None),
    ]  # fmt: skip
    standings = spark.createDataFrame(
        [("outcome", "money", *row, 1) for row in rows],
        "level string, name string, category string, standing string, at_risk int, subjects int",
    )
    risk_by_category = {r.category: r.at_risk for r in by_category(standings, ()).collect()}
    assert risk_by_category == {"web": None, "shop": 7}


def test_nulls_alone_are_nothing_compared(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "", None, 0), ("B", "", None, 0))
    shop_slice.state("order", ORDERS, [("A", "", None, None)])
    reconciled = shop_slice.reconcile({}, {"money": MONEY_TRUTH}, declared=(MONEY,))
    assert reconciled.outcomes() == set()
    assert reconciled.result.decided_by.startswith("Outcome: nothing was compared")


@pytest.mark.parametrize(
    ("decide", "truth", "error", "message"),
    [
        ("SELECT subject FROM state_order", MONEY_TRUTH, ConfigurationError,
         "outcome money: its `decide` returns no column 'value'"),
        ("SELECT nope AS value, subject FROM state_order", MONEY_TRUTH, ConfigurationError,
         "outcome money: its `decide` is not understood: [UNRESOLVED_COLUMN"),
        ("SELECT subject, cents AS value FROM state_orders", MONEY_TRUTH, ConfigurationError,
         "outcome money: its `decide` is not understood: [TABLE_OR_VIEW_NOT_FOUND]"),
        ("not SQL", MONEY_TRUTH, ConfigurationError,
         "outcome money: its `decide` is not understood: [PARSE_SYNTAX_ERROR] Syntax error"),
        (MONEY.decide, "SELECT 'A' AS subject, cents AS value FROM erp.orders", RunFailed,
         "outcome money: 1 subjects are decided more than once by the legacy"),
        ("SELECT cast(null AS string) AS subject, cents AS value FROM state_order", MONEY_TRUTH,
         RunFailed, "outcome money: 1 decisions are about no subject"),
        (MONEY.decide, "SELECT no AS subject, 'many' AS value FROM erp.orders", RunFailed,
         "outcome money: 2 legacy values are none of the type"),
        (MONEY.decide, "SELECT no AS subject, 'many' AS value, '2026-01-01T00:00:00Z' AS changed_at "
         "FROM erp.orders", RunFailed, "outcome money: 2 legacy values are none of the type"),
        (MONEY.decide, "SELECT no AS subject FROM erp.orders", ConfigurationError,
         "the truth of outcome money has no column 'value'"),
        ("SELECT subject, cents AS value, status AS not_elligible FROM state_order", MONEY_TRUTH,
         ConfigurationError, "outcome money: its `decide` returns a column 'not_elligible', which "
         "means nothing. Did you mean 'not_eligible'?"),
        ("SELECT subject, cents AS value, paid AS changed_at FROM state_order", MONEY_TRUTH,
         ConfigurationError, "its `decide` returns a column 'changed_at', which means nothing"),
        (MONEY.decide, "SELECT no AS subject, cents AS value, status AS Category FROM erp.orders",
         ConfigurationError, "the truth of outcome money returns a column 'Category', which means "
         "nothing. Did you mean 'category'?"),
        (MONEY.decide, "SELECT nope FROM erp.orders", ConfigurationError,
         "the truth of outcome money cannot be asked of erp ("),
    ],
)  # fmt: skip
def test_decisions_that_cannot_be_compared(
    shop_slice: Slice, decide: str, truth: str, error: type[CutlineError], message: str
) -> None:
    shop_slice.orders(("A", "", 1, 0), ("B", "", 1, 0))
    shop_slice.state("order", ORDERS, [("A", "", 1, None), ("B", "", 1, None)])
    outcome = replace(MONEY, decide=decide)
    with pytest.raises(error) as raised:
        shop_slice.reconcile({}, {"money": truth}, declared=(outcome,))
    assert message in raised.value.what
    assert raised.value.next_step
