"""Subjects that are neither a match nor a break: late, not eligible; and the same by category."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from cutline.context import Aggregate, Outcome, lines
from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.lake import Lake
from cutline.workspace import RunBefore
from support.reconciled import (
    BY_STATUS,
    LINE,
    LINES,
    OPEN,
    OPEN_TRUTH,
    ORDER_TRUTH,
    ORDERS,
    Slice,
    Sold,
)

PAID = Decimal(1)
MARKED = """
SELECT no AS subject, status, cents,
  CASE WHEN status = 'gift' THEN 'a gift' END AS not_eligible, paid AS changed_at
FROM erp.orders
"""
DUE = Outcome(
    name="due",
    question="What is due?",
    aggregate="order",
    decide="SELECT subject, cents AS value, status AS category FROM state_order",
    unit="cents",
)


def test_truth_says_who_is_not_eligible_and_who_changed_later(shop_slice: Slice) -> None:
    at_cut, later = "2026-11-01T00:00:00Z", "2026-11-01 00:00:00.000001"
    shop_slice.orders(
        ("same", "open", 1, at_cut), ("lost", "open", 1, None), ("changed", "open", 1, at_cut),
        ("late lost", "open", 1, later), ("late changed", "open", 1, later),
        ("late same", "open", 1, later), ("gift", "gift", 1, None), ("free gift", "gift", 1, None),
        ("late gift", "gift", 1, later),
    )  # fmt: skip
    shop_slice.state(
        "order",
        ORDERS,
        [
            ("same", "open", 1, PAID), ("changed", "shut", 1, PAID),
            ("late changed", "shut", 1, PAID), ("late same", "open", 1, PAID),
            ("gift", "open", 9, PAID), ("new", "open", 1, PAID),
        ],
    )  # fmt: skip
    reconciled = shop_slice.reconcile(
        {"order": MARKED}, {"open_orders": OPEN_TRUTH}, declared=(OPEN,)
    )
    assert {b for b in reconciled.breaks() if b[0] != "outcome"} == {
        ("record", "order", "lost", "missing", None, None, None),
        ("record", "order", "new", "unexpected", None, None, None),
        ("state", "order", "changed", "different", "status", "open", "shut"),
    }
    record, state = reconciled.level("record", "order"), reconciled.level("state", "order")
    assert (record["compared"], record["matched"]) == (4, 2)
    assert (record["late"], record["not_eligible"]) == (4, 2)
    assert record["not_eligible_by"] == {"a gift": 2}
    assert (state["compared"], state["matched"], state["late"]) == (2, 1, 4)
    assert state["columns"] == {"status": 1, "cents": 0}
    gates = {g["name"]: g for g in reconciled.result.stored()["facts"]["gates"]}
    assert gates["reverify"] == {
        "name": "reverify",
        "passed": False,
        "sentence": "Re-verify: 4 subjects and 0 decisions changed after the end of history and "
        "are owed a comparison",
    }


@pytest.mark.parametrize(("as_of", "late"), [("cut", 0), ("later", 3)])
def test_what_the_tail_touched_is_late_where_truth_was_read_later(
    shop_slice: Slice, as_of: str, late: int
) -> None:
    nos = ("same", "lost", "changed", "before", "of a line")
    shop_slice.orders(*((no, "open", 1, 1) for no in nos))
    shop_slice.state(
        "order",
        ORDERS,
        [("same", "open", 1, PAID), ("changed", "shut", 1, PAID), ("before", "shut", 1, PAID),
         ("of a line", "shut", 1, PAID)],
    )  # fmt: skip
    for no in ("same", "same", "lost", "changed"):
        shop_slice.row(no, "nothing-to-announce", side="after")
    shop_slice.row("before", "nothing-to-announce", side="overlap")
    shop_slice.row("of a line", "nothing-to-announce", side="after", aggregate="line")
    shop_slice.row("nobody", "reference-data", side="after", aggregate=None)
    reconciled = shop_slice.reconcile({"order": ORDER_TRUTH}, section={"as_of": as_of})
    record, state = reconciled.level("record", "order"), reconciled.level("state", "order")
    assert (record["late"], record["missing"]) == (late, 1 - min(late, 1))
    assert (state["late"], state["breaks"]) == (late, 2 if late else 3)
    assert record["compared"] == 5 - late
    names = [g["name"] for g in reconciled.result.stored()["facts"]["gates"]]
    assert ("reverify" in names) == bool(late)
    queue = {(r.subject, r.state, r.touches) for r in reconciled.rows("reverify")}
    owed = {("same", "owed", 2), ("lost", "owed", 1), ("changed", "owed", 1)}
    assert queue == (owed if late else set())


def test_who_left_the_population_after_the_end_of_history_is_late(shop_slice: Slice) -> None:
    """The legacy decides no more on what moved since; on what stood still the difference is one."""
    at_cut, later = "2026-11-01T00:00:00Z", "2026-11-01 00:00:00.000001"
    shop_slice.orders(
        ("moved on", "shut", 1, later), ("left before", "shut", 1, at_cut),
        ("on neither side", "shut", 1, later), ("agrees", "open", 1, at_cut),
        ("came", "open", 1, later), ("of unknown time", "shut", 1, None),
    )  # fmt: skip
    open_there = ("moved on", "left before", "agrees", "of unknown time")
    shop_slice.state("order", ORDERS, [(no, "open", 1, PAID) for no in open_there])
    truth = """
    SELECT no AS subject, CASE WHEN status = 'open' THEN 'open' END AS value, paid AS changed_at
    FROM erp.orders
    """
    reconciled = shop_slice.reconcile({}, {"open_orders": truth}, declared=(OPEN,))
    classes = {row["subject"]: row["class"] for row in reconciled.rows("outcomes")}
    assert classes == {
        "moved on": "late", "came": "late", "agrees": "agree",
        "left before": "only-new", "of unknown time": "only-new",
    }  # fmt: skip


def test_what_is_owed_is_compared_by_a_later_run_or_owed_still(shop_slice: Slice) -> None:
    """Each touch is owed a comparison: what is touched again before it was compared waits on."""
    nos = ("settled", "again", "fresh")
    shop_slice.orders(*((no, "open", 1, 1) for no in nos))
    before, runs = RunBefore(), []
    for number, touched in enumerate((nos[:2], ("again", "again", "fresh"), ()), 1):
        run_id = f"run-{number}"
        shop_slice.lake = Lake(str(shop_slice.folder / "lake/shop/north" / run_id))
        shop_slice.state("order", ORDERS, [(no, "open", 1, PAID) for no in nos])
        shop_slice.state("line", LINES, [])
        shop_slice.dispositions.clear()
        for no in touched:
            shop_slice.row(no, "nothing-to-announce", side="after")
        reconciled = shop_slice.reconcile(
            {"order": ORDER_TRUTH}, section={"as_of": "later"}, run_id=run_id, before=before
        )
        runs.append((reconciled, {tuple(row)[1:] for row in reconciled.rows("reverify")}))
        before = RunBefore(run_id, shop_slice.lake, number)
    assert [queue for _, queue in runs] == [
        {("settled", "owed", 1, "run-1"), ("again", "owed", 1, "run-1")},
        {("settled", "settled", 0, "run-1"), ("again", "owed", 2, "run-1"),
         ("fresh", "owed", 1, "run-2")},
        {("again", "settled", 0, "run-1"), ("fresh", "settled", 0, "run-2")},
    ]  # fmt: skip
    last = runs[-1][0].result.stored()["facts"]
    assert last["reverify"] == {"owed": 0, "settled": 2, "touches": 0}
    assert [found.result.decision for found, _ in runs] == ["no-go", "no-go", "go"]


NOS = ("left out", "seen twice", "half", "lost", "held", "ignored since", "seen since")


def test_a_reason_of_nothing_but_blanks_excuses_nobody(shop_slice: Slice) -> None:
    def reason(subject: str) -> str:
        blanks = f"CASE {subject} WHEN 'A' THEN '' WHEN 'C' THEN '  ' ELSE '\t\n' END"
        return f"CASE WHEN status = 'gift' THEN 'a gift' ELSE {blanks} END AS not_eligible"

    shop_slice.orders(("A", "open", 1, None), ("B", "gift", 1, None), ("C", "open", None, None))
    shop_slice.state("order", ORDERS, [("A", "open", 2, None), ("D", "open", None, None)])
    decide = f"SELECT subject, cents AS value, {reason('subject')} FROM state_order"
    reconciled = shop_slice.reconcile(
        {"order": f"SELECT no AS subject, cents, {reason('no')} FROM erp.orders"},
        {"due": f"SELECT no AS subject, cents AS value, {reason('no')} FROM erp.orders"},
        declared=(replace(DUE, decide=decide),),
    )
    assert reconciled.level("record", "order")["not_eligible_by"] == {"a gift": 1}
    due = reconciled.level("outcome", "due")
    assert (due["not_eligible_by"], due["compared"], due["differ"]) == ({"a gift": 1}, 1, 1)
    breaks = {(level, subject, kind) for level, _, subject, kind, *_ in reconciled.breaks()}
    assert breaks == {
        ("record", "C", "missing"),
        ("record", "D", "unexpected"),
        ("state", "A", "different"),
        ("outcome", "A", "different"),
    }


def test_what_a_translator_leaves_out_by_rule_is_not_eligible(shop_slice: Slice) -> None:
    shop_slice.reads = True
    shop_slice.orders(*((no, "test", 1, 1) for no in NOS))
    shop_slice.state("order", ORDERS, [])
    shop_slice.row("left out", "monitoring")
    shop_slice.row("left out", "monitoring")
    shop_slice.row("seen twice", "monitoring")
    shop_slice.row("seen twice", "committed-before-the-snapshot", disposition="visible-in-snapshot")
    shop_slice.row("half", "monitoring")
    shop_slice.row("half", "Sold", disposition="translated")
    shop_slice.row("lost", "nothing-to-announce")
    shop_slice.row("held", "unreadable", disposition="quarantined")
    shop_slice.exception("unreadable", "held", "order")
    # What the rows after the end of history say is not of the state at the cut.
    shop_slice.row("ignored since", "monitoring", side="after")
    shop_slice.row("seen since", "monitoring")
    shop_slice.row("seen since", "Sold", disposition="translated", side="after")
    due = "SELECT no AS subject, cents AS value FROM erp.orders"
    reconciled = shop_slice.reconcile({"order": ORDER_TRUTH}, {"due": due}, declared=(DUE,))
    missing = {"half", "lost", "ignored since"}
    assert {b[2] for b in reconciled.breaks() if b[0] == "record"} == missing
    record = reconciled.level("record", "order")
    assert (record["not_eligible"], record["explained"], record["compared"]) == (3, 1, 3)
    assert record["not_eligible_by"] == {"monitoring": 3}
    assert {(subject, kind) for subject, kind, *_ in reconciled.outcomes()} == {
        *((no, "not-eligible") for no in ("left out", "seen twice", "seen since")),
        ("held", "explained"),
        *((no, "only-legacy") for no in missing),
    }


def test_levels_are_told_by_category(shop_slice: Slice) -> None:
    shop_slice.aggregates = (BY_STATUS, LINE)
    shop_slice.orders(
        ("A", "web", 1, 1), ("B", "web", 1, 1), ("C", "web", 5, 1), ("D", "shop", 1, 1),
        ("E", None, 1, 1), ("F", "shop", 1, 1), ("G", "shop", 1, 1),
    )  # fmt: skip
    shop_slice.state(
        "order",
        ORDERS,
        [
            ("A", "web", 1, PAID), ("B", "shop", 1, PAID), ("C", "web", 2, PAID),
            ("D", "shop", 1, PAID), ("E", None, 1, PAID), ("new", "web", 40, PAID),
        ],
    )  # fmt: skip
    shop_slice.exception("odd", "F", "order")
    truth = "SELECT no AS subject, cents AS value FROM erp.orders"
    gates = {
        "record": {"categories": {"status=web": {"max_breaks": 1}, "status=fax": {}}},
        "state": {"categories": {"status=web": {"min_match_rate": 0.3}}},
        "outcome": {"categories": {"web": {"max_money": 50, "max_breaks": 9}}, "max_money": "43.5"},
    }
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"due": truth}, declared=(DUE,), gates=gates
    )
    shown = ("category", "compared", "matched", "broken", "explained")

    def categories(level: str, name: str) -> list[tuple[Any, ...]]:
        facts = reconciled.level(level, name)
        assert facts["categories_in_all"] == len(facts["categories"])
        return [tuple(c[key] for key in shown) for c in facts["categories"]]

    assert categories("record", "order") == [
        ("status=web", 4, 3, 1, 0),
        ("status=shop", 2, 1, 1, 1),
        ("status=null", 1, 1, 0, 0),
    ]
    assert categories("state", "order") == [
        ("status=web", 3, 1, 2, 0),
        ("status=null", 1, 1, 0, 0),
        ("status=shop", 1, 1, 0, 0),
    ]
    assert categories("outcome", "due") == [
        ("web", 3, 1, 2, 0),
        (None, 2, 1, 1, 1),
        ("shop", 2, 2, 0, 0),
    ]
    by_name = {(r.level, r.subject): r for r in reconciled.rows("breaks")}
    assert by_name["record", "G"].category == "status=shop"
    assert by_name["state", "B"].category == "status=web"
    assert by_name["outcome", "new"].category == "web"
    assert by_name["outcome", "C"].at_risk == 3
    assert by_name["outcome", "new"].at_risk == 40
    assert by_name["state", "C"].at_risk is None
    due = reconciled.level("outcome", "due")
    assert (due["legacy_total"], due["new_total"], due["at_risk"]) == ("10", "46", "44")
    assert due["categories"][0]["at_risk"] == "43"
    refused = {
        g["name"]: g["sentence"]
        for g in reconciled.result.stored()["facts"]["gates"]
        if not g["passed"]
    }
    assert refused["record.category:status=fax"] == (
        "Record: nothing was compared in status=fax, which is never GO"
    )
    assert refused["outcome.money:due"] == (
        "Outcome: 44 cents at risk in 3 decisions of due, at most 43.5 cents accepted: "
        "'What is due?'"
    )
    passed = {
        g["name"]: g["sentence"]
        for g in reconciled.result.stored()["facts"]["gates"]
        if g["passed"]
    }
    assert passed["record.category-breaks:status=web"] == (
        "Record: 1 subjects are missing, unexpected or duplicated in status=web, at most 1 accepted"
    )
    assert passed["state.category:status=web"] == (
        "State: in status=web, 2 of 3 subjects differ from the legacy's truth "
        "(33.33 % agree, 30 % needed)"
    )
    assert passed["outcome.category-money:due:web"].startswith("Outcome: 43 cents at risk in web ")


def test_outcomes_are_set_aside_as_either_side_says(shop_slice: Slice) -> None:
    shop_slice.orders(("gift", "gift", 1, None), ("late", "", 1, None), ("same", "", 1, None))
    shop_slice.state(
        "order", ORDERS, [("gift", "", 2, None), ("late", "", 2, None), ("same", "", 1, None)]
    )
    shop_slice.row("late", "nothing-to-announce", side="after")
    shop_slice.row("same", "nothing-to-announce", side="after", aggregate="line")
    truth = """SELECT no AS subject, CASE WHEN status = '' THEN cents END AS value,
      CASE WHEN status = 'gift' THEN 'a gift' END AS not_eligible FROM erp.orders"""
    reconciled = shop_slice.reconcile(
        {}, {"due": truth}, declared=(DUE,), section={"as_of": "later"}
    )
    assert reconciled.outcomes() == {
        ("gift", "not-eligible", None, "2", "a gift"),
        ("late", "late", "1", "2", None),
        ("same", "agree", "1", "1", None),
    }
    due = reconciled.level("outcome", "due")
    assert (due["compared"], due["late"], due["not_eligible_by"]) == (1, 1, {"a gift": 1})


@pytest.mark.parametrize(
    ("truth", "given_more", "error", "message"),
    [
        ("SELECT no AS subject, 'soon' AS changed_at FROM erp.orders", {}, RunFailed,
         "has 1 values in column changed_at that are no timestamp"),
        (ORDER_TRUTH, {"gates": {"record": {"categories": {"status=web": {}}}}}, ConfigurationError,
         "contexts.shop.gates.record.categories asks for categories, and no aggregate"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_aside(
    shop_slice: Slice, truth: str, given_more: dict[str, Any], error: type[Exception], message: str
) -> None:
    shop_slice.orders(("A", "open", 1, 0))
    with pytest.raises(error, match=message):
        shop_slice.reconcile({"order": truth}, **given_more)


def test_a_category_is_a_plain_state_column() -> None:
    for column, state in (("statuz", BY_STATUS.state), ("lines", {"lines": lines("status", {})})):
        with pytest.raises(
            ConfigurationError, match=f"category '{column}' is not one of its plain"
        ):
            Aggregate("order", "One.", (Sold,), state, categories=(column,))


@pytest.mark.parametrize(("month", "late"), [(10, {"B", "C"}), (11, {"C"}), (12, set())])
def test_the_cut_line_of_its_source_says_what_is_late(
    shop_slice: Slice, month: int, late: set[str]
) -> None:
    """A state as of an earlier line is no break, and what is history by a later one is compared."""
    days = {"A": "2026-09-01", "B": "2026-10-15", "C": "2026-11-15"}
    shop_slice.orders(*((no, "shut", 1, f"{day}T00:00:00Z") for no, day in days.items()))
    shop_slice.state("order", ORDERS, [(no, "open", 1, PAID) for no in days])
    shop_slice.reads = True
    at = f"2026-{month}-01T00:00:00Z"
    shop_slice.cuts = {"erp": {"policy": "commit-timestamp", "at": at}}
    truth = "SELECT no AS subject, status, paid AS changed_at FROM erp.orders"
    answer = "SELECT no AS subject, 'shut' AS value, paid AS changed_at FROM erp.orders"
    reconciled = shop_slice.reconcile({"order": truth}, {"open_orders": answer}, declared=(OPEN,))
    broken = {row[2] for row in reconciled.breaks() if row[0] == "state"}
    assert broken == set(days) - late
    decided = {row["subject"] for row in reconciled.rows("outcomes") if row["class"] == "late"}
    assert decided == late
