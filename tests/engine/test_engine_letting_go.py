"""Rows that are held until another comes are let go when it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from cutline.tables.disposition import EXCEPTIONAL
from cutline.translator import SourceContract, Translator
from support.changes import change, changes_table, exported_at, position, snapshot
from support.late_orders import (
    EachOrders,
    ItemRow,
    LineRow,
    NoteRow,
    OrderRow,
    Orders,
    OrdersOfItems,
    OrdersWithTerms,
    TermsRow,
)

Image = dict[str, Any]
Step = tuple[type[SourceContract], str, Image | None, Image | None]
TABLES: tuple[type[SourceContract], ...] = (LineRow, OrderRow, NoteRow, TermsRow, ItemRow)

AWAITED, CHANGED, WITHIN = "part-awaited:order", "changed-while-held", "within-its-transaction"
NOTHING, UNSAID = "nothing-to-announce", "deletion-without-meaning"


def order(op: str, buyer: str | None = None) -> Step:
    return OrderRow, op, None if op in "rc" else {}, None if op == "d" else {"buyer": buyer}


def line(op: str, item: str = "tea", order_no: int = 0, was: int = 0) -> Step:
    before = None if op in "rc" else {"item": item, "order": was}
    return LineRow, op, before, None if op == "d" else {"item": item, "order": order_no}


def note(op: str) -> Step:
    return NoteRow, op, None if op in "rc" else {}, None if op == "d" else {"text": "soon"}


def terms(op: str) -> Step:
    return TermsRow, op, None if op in "rc" else {}, None if op == "d" else {}


def item(name: str) -> Step:
    return ItemRow, "c", None, {"item": name}


UNREADABLE: Step = (OrderRow, "x", None, {"buyer": None})
"""An order comes, and cannot be read."""


def image(contract: type[SourceContract], number: int, values: Image | None) -> Image | None:
    """A row of the history with that number, which its order has too; another order has 1000 more."""
    if values is None:
        return None
    if contract is LineRow:
        return {"line_no": number, "order_no": number + 1000 * values["order"]} | values
    if contract is ItemRow:
        return {"item": f"{number}-{values['item']}"}
    return {"no" if contract is OrderRow else "order_no": number} | values


def ends(
    spark: SparkSession,
    translator: type[Translator],
    histories: Mapping[str, Sequence[Sequence[Step]]],
) -> dict[str, tuple[list[str], list[str]]]:
    """By history, the rule by which each row ended, in order, and the events by commit."""
    tables: dict[type[SourceContract], list[dict[str, Any]]] = {one: [] for one in TABLES}
    for number, history in enumerate(histories.values(), start=1):
        for c, steps in enumerate(history):
            for r, (contract, op, before, after) in enumerate(steps, start=1):
                images = [image(contract, number, one) for one in (before, after)]
                if contract is LineRow:
                    for row_image in images:
                        if row_image is not None and translator is OrdersOfItems:
                            row_image["item"] = f"{number}-{row_image['item']}"
                if op == "r":
                    row = snapshot(images[1] or {})
                else:
                    recorded_op = "c" if op == "x" else op
                    row = change(recorded_op, 10 * c, before=images[0], after=images[1])
                    row["position"] = position(10 * c, r)
                    row["defects"] = ["wrong-type:buyer"] if op == "x" else []
                tables[contract].append(row | {"transaction": f"{number}:{c}.{r}"})
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(1))
        for contract, rows in tables.items()
    }
    names = ("transaction", "disposition", "rule", "reason", "events", "payload")
    rows = translate_changes(translator, inputs).select(*names).toArrow().to_pylist()
    rows.sort(key=lambda row: row["transaction"])
    came: dict[str, tuple[list[str], list[str]]] = {}
    for number, name in enumerate(histories, start=1):
        mine = [row for row in rows if row["transaction"].split(":")[0] == str(number)]
        # A person is shown the row that waits, and no other.
        assert all(
            (row["payload"] is not None) == (row["disposition"] in EXCEPTIONAL) for row in mine
        )
        came[name] = (
            [row["rule"] for row in mine],
            [
                f"{row['transaction'].split(':')[1][0]} {event['type']}"
                for row in mine
                for event in row["events"]
            ],
        )
    return came


CASES: dict[str, tuple[list[list[Step]], list[str], list[str]]] = {
    "a line, then its order": (
        [[], [line("c")], [order("c")]],
        ["Placed", "Placed"],
        ["2 Placed"],
    ),
    "an order that never comes": ([[], [line("c")], [note("c")]], [AWAITED, AWAITED], []),
    "a line of the snapshot": ([[line("r")], [order("c")]], ["Placed", "Placed"], ["1 Placed"]),
    "a line that was changed twice": (
        [[], [line("c")], [line("u", "oil")], [line("u", "tea")], [order("c")]],
        [CHANGED, CHANGED, "Placed", "Placed"],
        ["4 Placed"],
    ),
    "a line that is changed with its order": (
        [[], [line("c")], [order("c"), line("u", "oil")]],
        [CHANGED, "Placed", "Placed"],
        ["2 Placed"],
    ),
    "a line and a note, of which both waited": (
        [[], [line("c")], [note("c")], [order("c")]],
        ["Placed, Noted", "Placed, Noted", "Placed, Noted"],
        ["3 Placed", "3 Noted"],
    ),
    "a line that was written twice in its transaction": (
        [[], [line("c"), line("u", "oil")], [order("c")]],
        [WITHIN, "Placed", "Placed"],
        ["2 Placed"],
    ),
    "an order that is refused": (
        [[], [line("c")], [order("c", "?")], [order("u", "Ann")]],
        ["no-buyer", "no-buyer", "Placed"],
        ["3 Placed"],
    ),
    "an order that is refused, of a line that was changed": (
        [[], [line("c")], [line("u", "oil")], [order("c", "?")]],
        ["no-buyer"] * 3,
        [],
    ),
    "an order that is ignored": (
        [[], [line("c")], [order("c", "test")]],
        ["test-order", "test-order"],
        [],
    ),
    "an order that nobody can read": (
        [[], [line("c")], [UNREADABLE]],
        [AWAITED, "wrong-type:buyer"],
        [],
    ),
    "an order that can be read later": (
        [[], [line("c")], [UNREADABLE], [order("c")]],
        ["Placed", "wrong-type:buyer", "Placed"],
        ["3 Placed"],
    ),
    "a line that goes before its order comes": (
        [[], [line("c")], [line("d")], [order("c")]],
        [CHANGED, NOTHING, "part-missing:line"],
        [],
    ),
    "a line that goes, and its note waits on": (
        [[], [line("c")], [note("c")], [line("d")], [note("u")]],
        [CHANGED, AWAITED, NOTHING, "part-missing:line"],
        [],
    ),
    "a note that goes, and its line waits on": (
        [[], [line("c")], [note("c")], [note("d")]],
        [AWAITED, UNSAID, UNSAID],
        [],
    ),
    "a line that goes to another order": (
        [[], [line("c")], [line("u", order_no=1)]],
        [CHANGED, AWAITED, NOTHING],
        [],
    ),
    "an order that goes, and comes again": (
        [[line("r"), order("r")], [order("d")], [line("u", "oil")], [note("c")], [order("c")]],
        ["Placed", "Placed", UNSAID, "Noted", "Noted", "Noted"],
        ["0 Placed", "4 Noted"],
    ),
    "an order that goes, and comes in vain": (
        [
            [line("r"), order("r")],
            [order("d")],
            [line("u", "oil")],
            [order("c")],
            [order("d")],
            [line("u", "fig")],
        ],
        ["Placed", "Placed", UNSAID, NOTHING, NOTHING, UNSAID, AWAITED],
        ["0 Placed"],
    ),
}


def test_a_row_that_was_held_ends_as_the_image_that_lets_it_go(spark: SparkSession) -> None:
    came = ends(spark, Orders, {name: history for name, (history, _, _) in CASES.items()})
    assert came == {name: (rules, events) for name, (_, rules, events) in CASES.items()}


def test_of_several_that_are_awaited_all_must_come(spark: SparkSession) -> None:
    histories = {
        "both come": [[], [line("c")], [order("c")], [terms("c")]],
        "the second never comes": [[], [line("c")], [order("c")]],
        "the first never comes": [[], [line("c")], [terms("c")]],
        "one comes, the other goes": [
            [line("r"), order("r"), terms("r")],
            [terms("d")],
            [line("u", "oil")],
            [order("u")],
            [terms("c")],
        ],
    }
    came = {name: rules for name, (rules, _) in ends(spark, OrdersWithTerms, histories).items()}
    assert came == {
        "both come": ["Placed"] * 3,
        "the second never comes": ["part-awaited:terms"] * 2,
        "the first never comes": [AWAITED] * 2,
        "one comes, the other goes": ["Placed"] * 3 + [UNSAID] + [NOTHING] * 3,
    }


def test_a_row_waits_for_a_part_and_for_what_it_looks_up(spark: SparkSession) -> None:
    histories = {
        "the item comes": [[], [line("c")], [order("c")], [item("tea")]],
        "the item comes first": [[], [item("tea")], [line("c")], [order("c")]],
        "the item never comes": [[], [line("c")], [order("c")]],
        "another item is there": [
            [],
            [item("oil")],
            [order("c"), line("c")],
            [line("u", "oil")],
        ],
        "the order never comes": [[], [line("c")], [item("tea")]],
    }
    came = {name: rules for name, (rules, _) in ends(spark, OrdersOfItems, histories).items()}
    awaited = "lookup-awaited:known"
    assert came == {
        "the item comes": ["Placed", "Placed"],
        "the item comes first": ["Placed", "Placed"],
        "the item never comes": [awaited, awaited],
        "another item is there": ["Placed", CHANGED, "Placed"],
        "the order never comes": [AWAITED],
    }


def test_each_step_of_a_transaction_waits_by_itself(spark: SparkSession) -> None:
    histories = {
        "the order comes with the line": [[], [line("c"), order("c"), line("u", "oil")]],
        "the order comes later": [
            [],
            [line("c"), line("u", "oil"), note("c")],
            [note("u"), order("c"), line("u")],
        ],
    }
    came = {name: rules for name, (rules, _) in ends(spark, EachOrders, histories).items()}
    assert came == {
        "the order comes with the line": ["Placed", NOTHING, NOTHING],
        "the order comes later": [
            CHANGED,
            "Placed, Noted",
            CHANGED,
            "Placed, Noted",
            NOTHING,
            NOTHING,
        ],
    }


@pytest.mark.parametrize("translator", [Orders, EachOrders])
def test_reasons_say_what_was_awaited_and_who_let_go(
    spark: SparkSession, translator: type[Translator]
) -> None:
    rows = {
        LineRow: [
            change("c", 10, after={"line_no": 1, "order_no": 1, "item": "tea"}),
            change("u", 20, after={"line_no": 1, "order_no": 1, "item": "oil"}),
        ],
        OrderRow: [change("c", 30, after={"no": 1, "buyer": "Ann"})],
        NoteRow: [],
    }
    inputs = {
        contract: changes_table(spark, contract, mine, consistent_point=position(1))
        for contract, mine in rows.items()
    }
    came = sorted(translate_changes(translator, inputs).collect(), key=lambda row: row["position"])
    assert [row["reason"] for row in came] == [
        f"a later change of the row stands for it; it was held as {AWAITED}",
        f"it was held as {AWAITED} until the commit of web.orders at {position(30)}",
        None,
    ]
    assert Counter(row["disposition"] for row in came) == {"translated": 2, "no-op": 1}
    assert [row["announced"] for row in came] == [0, 0, 1]


def test_the_log_lets_go_and_not_the_cut(spark: SparkSession) -> None:
    """A parent behind the end of history has come all the same."""
    rows = {
        LineRow: [change("c", 10, after={"line_no": 1, "order_no": 1, "item": "tea"})],
        OrderRow: [change("c", 30, after={"no": 1, "buyer": "Ann"})],
        NoteRow: [],
    }
    until = exported_at(position(20))
    inputs = {
        contract: changes_table(spark, contract, mine, consistent_point=position(1), history=until)
        for contract, mine in rows.items()
    }
    came = translate_changes(Orders, inputs).collect()
    assert {(row["side"], row["rule"], row["announced"]) for row in came} == {
        ("before", "Placed", 0),
        ("after", "Placed", 1),
    }
