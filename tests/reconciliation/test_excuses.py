"""Each subject that is not judged names the very row, event or answer that this rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cutline.context import Outcome
from cutline.tables.exception import EVENT
from support.reconciled import ORDER, ORDERS, PART, Slice

DUE = Outcome(
    "due",
    "What is due?",
    """SELECT subject, cents AS value,
      CASE WHEN status = 'gift' THEN 'a gift' END AS not_eligible FROM state_order""",
    aggregate="order",
)
TRUTH = """
SELECT no AS subject, cents, CASE WHEN status = 'old' THEN 'too old' END AS not_eligible
FROM erp.orders
"""
LINE_TRUTH = "SELECT no || '/' || line AS subject, no AS order_no FROM erp.lines"
EVIDENCE = ("rests_on", "whole", "source", "table", "key", "position", "event_id")


def test_every_excuse_names_what_it_rests_on(shop_slice: Slice) -> None:
    orders = [("held", "", 1), ("late", "", 1), ("test", "test", 1), ("old", "old", 1),
              ("gift", "", 1), ("same", "", 1), ("event", "", 1)]  # fmt: skip
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
        rows={
            "orders": [(*one, None, "north") for one in orders],
            "lines": [("held", 1, "s", 1), ("same", 1, "s", 1)],
        },
    )
    shop_slice.aggregates, shop_slice.reads = (ORDER, PART), True
    rows = [("late", "", 2), ("gift", "gift", 1), ("same", "", 1), ("event", "", 2)]
    shop_slice.state("order", ORDERS, [(*one, None) for one in rows])
    shop_slice.state("line", "subject string, order_no string", [("same/1", "same")])
    shop_slice.exception("unreadable", "held", "order")
    shop_slice.exception("no-start", "event", "order", EVENT)
    place = {"source": "erp", "table": "orders"}
    shop_slice.row("test", "monitoring", key='["test"]', position="3", **place)
    for position in ("5", "4"):
        shop_slice.row("late", "facts", key='["late"]', position=position, side="after",
                  disposition="translated", **place)  # fmt: skip
    reconciled = shop_slice.reconcile(
        {"order": TRUTH, "line": LINE_TRUTH},
        {"due": "SELECT no AS subject, cents AS value FROM erp.orders WHERE status = ''"},
        declared=(DUE,),
        section={"as_of": "later"},
    )
    excuses = {(r["level"], r["name"], r["subject"]): r for r in reconciled.rows("excuses")}
    # As support.reconciled writes the columns of an exception that a test does not name.
    row = ("source-row", None, "told", "told", "told", "told", "told")
    event: tuple[Any, ...] = (EVENT, *row[1:])
    late = ("source-row", None, "erp", "orders", '["late"]', "5", None)
    left_out = ("source-row", None, "erp", "orders", '["test"]', "3", None)
    truth, decide = (("truth", *[None] * 6), ("decide", *[None] * 6))
    of_whole = (row[0], "held", *row[2:])
    after = "changed after the end of history"
    assert {key: (r["class"], r["reason"], tuple(r[c] for c in EVIDENCE)) for key, r in excuses.items()} == {
        ("record", "order", "held"): ("explained", "unreadable", row),
        ("record", "line", "held/1"): ("explained", "unreadable", of_whole),
        ("state", "order", "event"): ("explained", "no-start", event),
        ("record", "order", "late"): ("late", after, late),
        ("state", "order", "late"): ("late", after, late),
        ("record", "order", "old"): ("not-eligible", "too old", truth),
        ("state", "order", "old"): ("not-eligible", "too old", truth),
        ("record", "order", "test"): ("not-eligible", "monitoring", left_out),
        ("state", "order", "test"): ("not-eligible", "monitoring", left_out),
        ("outcome", "due", "held"): ("explained", "unreadable", row),
        ("outcome", "due", "event"): ("explained", "no-start", event),
        ("outcome", "due", "late"): ("late", after, late),
        ("outcome", "due", "gift"): ("not-eligible", "a gift", decide),
    }  # fmt: skip
    decided = {r["subject"]: tuple(r[c] for c in EVIDENCE) for r in reconciled.rows("outcomes")}
    assert (decided["held"], decided["gift"], decided["same"]) == (row, decide, (None,) * 7)


def test_a_part_that_does_not_tell_its_whole_is_not_excused(shop_slice: Slice) -> None:
    """Its id may be spelled like the order's; nobody but the truth can say that it is a part."""
    shop_slice.legacy(
        "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
        rows={"lines": [("held", 1, "s", 1)]},
    )
    shop_slice.aggregates = (ORDER, PART)
    shop_slice.state("line", "subject string, order_no string", [])
    shop_slice.exception("unreadable", "held", "order")
    silent = "SELECT no || '/' || line AS subject FROM erp.lines"
    of_another = "SELECT no || '/' || line AS subject, 'other' AS order_no FROM erp.lines"
    for truth in (silent, of_another, LINE_TRUTH.replace("no AS order_no", "NULL AS order_no")):
        reconciled = shop_slice.reconcile({"line": truth})
        assert {b[:4] for b in reconciled.breaks()} == {("record", "line", "held/1", "missing")}
        assert reconciled.rows("excuses") == []
    shop_slice.aggregates = (ORDER, replace(PART, part_of=None))
    assert shop_slice.reconcile({"line": LINE_TRUTH}).rows("excuses") == []


def test_a_row_after_the_end_of_history_excuses_nothing_at_the_cut(shop_slice: Slice) -> None:
    shop_slice.orders(("before", "", 1, None), ("after", "", 1, None))
    shop_slice.state("order", ORDERS, [("before", "", 2, None), ("after", "", 2, None)])
    place = {"source": "told", "table": "told", "position": "told", "disposition": "quarantined"}
    for subject in ("before", "after"):
        shop_slice.exception(f"odd-{subject}", subject, "order")
        shop_slice.row(subject, f"odd-{subject}", side=subject, key="told", **place)
    reconciled = shop_slice.reconcile({"order": TRUTH})
    assert {(b[2], b[4]) for b in reconciled.breaks()} == {("after", "cents")}
    assert {(r["subject"], r["reason"]) for r in reconciled.rows("excuses")} == {
        ("before", "odd-before")
    }
