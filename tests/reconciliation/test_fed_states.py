"""States that differ are linked to what broke or was put aside below them: never by spelling."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Row

from support.reconciled import (
    LINE,
    OPEN,
    OPEN_TRUTH,
    ORDER,
    ORDER_TRUTH,
    ORDERS,
    PART,
    Reconciled,
    Slice,
)

CENTS = [f"A{i}" for i in range(8)]
STATUS = [f"C{i}" for i in range(6)]
PAID = [f"D{i}" for i in range(8)]
SOUND = [f"E{i}" for i in range(40)]
EVERY = [*CENTS, *STATUS, *PAID, *SOUND]
LINES = "subject string, order_no string"
LINE_TRUTH = "SELECT id AS subject, no AS order_no FROM erp.lines"


def orders(shop_slice: Slice, lines: Iterable[tuple[str, str | None]]) -> None:
    """Orders of which one column each differs, and 40 that match; the legacy's lines."""
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE lines(id TEXT, no TEXT)",
        rows={"orders": [(no, "held", 100, 5, "north") for no in EVERY], "lines": lines},
    )
    shop_slice.state(
        "order",
        ORDERS,
        [(no, "shut" if no in STATUS else "held", 90 if no in CENTS else 100,
          Decimal(4 if no in PAID else 5)) for no in EVERY],
    )  # fmt: skip


def whys(reconciled: Reconciled) -> Mapping[str, str]:
    """Why the clusters of orders are there, by column."""
    return {c.column: c.why for c in reconciled.rows("clusters") if c.level == "state"}


def links(reconciled: Reconciled, column: str) -> set[tuple[Any, ...]]:
    """What the orders are linked to of which `column` differs."""
    of = {
        c.cluster for c in reconciled.rows("clusters") if (c.level, c.column) == ("state", column)
    }
    assert of
    return {
        (r.subject, r.way, r.by_level, r.by_name, r.by_kind, r.by_subject)
        for r in reconciled.rows("links")
        if r.cluster in of
    }


@pytest.fixture
def parts(shop_slice: Slice) -> Reconciled:
    """Lines whose ids say nothing: of the orders whose cents differ, one each is lost; of those
    whose status does, a row of a line waits for a person."""
    shop_slice.aggregates = (ORDER, PART)
    lost = [(f"L{no}", no) for no in CENTS]
    # Called like parts of other orders, and parts of A0 and of none.
    lost += [("E0/1", "A0"), ("A1/1", None)]
    # Of the orders whose paid differs two have lost a line, as have eight that match.
    lost += [(f"L{no}", no) for no in (*PAID[:2], *SOUND[:8])]
    new_lines = [(f"K{no}", no) for no in EVERY]
    orders(shop_slice, [*lost, *new_lines])
    shop_slice.state("line", LINES, new_lines)
    for no in STATUS:
        shop_slice.exception("unreadable", f"K{no}", "line")
    # A thing that is called as a line, and a row of nobody knows whom.
    shop_slice.exception("unreadable", f"K{PAID[0]}", "stock")
    shop_slice.exception("unreadable", None, None)
    return shop_slice.reconcile({"order": ORDER_TRUTH, "line": LINE_TRUTH})


def test_what_is_declared_to_be_a_part_feeds_its_whole(parts: Reconciled) -> None:
    assert whys(parts) == {
        "cents": "8 of 8 have line that only the legacy has (9 subjects); of the 40 that match, 8 "
        "do.",
        "status": "6 of 6 have line of which unreadable put a row aside (6 rows); of the 40 that "
        "match, none does.",
        # Two of eight, and eight of forty: chance.
        "paid": "Nothing in their legacy rows sets them apart from the 40 that match.",
    }
    assert links(parts, "cents") == {
        (no, "part", "record", "line", "missing", f"L{no}") for no in CENTS
    } | {("A0", "part", "record", "line", "missing", "E0/1")}
    assert links(parts, "status") == {
        (no, "part", "source-row", "line", "unreadable", f"K{no}") for no in STATUS
    }
    assert links(parts, "paid") == {
        (no, "part", "record", "line", "missing", f"L{no}") for no in PAID[:2]
    }
    clusters = {c.column: c for c in parts.rows("clusters") if c.level == "state"}
    lost = {c.cluster for c in parts.rows("clusters") if c.level == "record"}
    assert set(clusters["cents"].fed_by) <= lost
    assert (clusters["cents"].cause, clusters["cents"].fed_subjects) == (
        "line: only the legacy has it", 9,
    )  # fmt: skip
    assert (clusters["status"].cause, clusters["status"].fed_by) == (
        "line: a row put aside by unreadable", [],
    )  # fmt: skip
    assert (clusters["paid"].cause, clusters["paid"].fed_by) == (None, None)


def event(no: str, row: str, **more: Any) -> dict[str, Any]:
    """An event of order `no` that the row of `row` in the table of lines announced."""
    event_row = {"id": f"{no}-{row}", "source": "urn:x", "type": "Ordered", "aggregate": "order"}
    event_row |= {"subject": no, "migsrcsystem": "erp", "migsrctable": "lines"}
    event_row |= {"migsrckey": f'["{row}"]', "migsrcpos": "1", "migtranslator": "orders"}
    event_row |= {"migorigin": "synthetic", "time": dt.datetime(2026, 11, 1, tzinfo=dt.UTC)}
    return event_row | {"side": "before", "data": "{}", "rule": "accepted", "ordinal": 1} | more


def test_the_rows_that_announced_its_events_feed_a_state(shop_slice: Slice) -> None:
    shop_slice.aggregates = (ORDER, LINE)
    shop_slice.reads = True
    orders(shop_slice, [(f"K{no}", no) for no in EVERY])
    # The new side has lines that the legacy does not know; their rows announced events of orders.
    unknown = [(f"U{no}", "S") for no in (*CENTS, "E")]
    shop_slice.state("line", "subject string, sku string", unknown)
    of_line = {"aggregate": "line", "source": "erp", "table": "lines", "disposition": "translated"}
    for line, _ in unknown:
        shop_slice.row(line, "facts", key=f'["{line}"]', **of_line)
    shop_slice.events = [event(no, f"U{no}") for no in CENTS]
    shop_slice.events += [event(no, f"K{no}") for no in SOUND]
    # A row that is left out by rule, and one that is not of history.
    of_order = {"source": "erp", "table": "orders"}
    for no in (*STATUS, SOUND[0]):
        shop_slice.row(no, "monitoring", key=f'["{no}"]', **of_order)
    shop_slice.row(SOUND[1], "monitoring", key=f'["{SOUND[1]}"]', side="after", **of_order)
    shop_slice.refused = [
        event(no, f"R{no}", verdict="not-authoritative", rule="not-authoritative", reason="no")
        for no in PAID
    ]
    # What stands for it is in the timeline; what came later is no history.
    shop_slice.refused += [
        event(no, f"R{no}", verdict=verdict, rule=verdict, reason="no", winner=winner)
        for no in STATUS
        for verdict, winner in (("duplicate-fact", "another"), ("after-cut", None))
    ]
    truth = {"order": ORDER_TRUTH, "line": "SELECT id AS subject, 'S' AS sku FROM erp.lines"}
    reconciled = shop_slice.reconcile(truth)
    assert whys(reconciled) == {
        "cents": "8 of 8 get events from a row of line that only the new side has (8 subjects), "
        "made by facts; of the 40 that match, none does.",
        "status": "6 of 6 have a row that monitoring put aside (6 rows); of the 40 that match, 1 "
        "does.",
        "paid": "8 of 8 have an event that not-authoritative put aside (8 events); of the 40 that "
        "match, none does.",
    }
    assert links(reconciled, "cents") == {
        (no, "row", "record", "line", "unexpected", f"U{no}") for no in CENTS
    }
    assert links(reconciled, "status") == {
        (no, "itself", "source-row", "order", "monitoring", no) for no in STATUS
    }
    (link,) = (row for row in reconciled.rows("links") if row.subject == PAID[0])
    assert (link.by_source, link.by_key, link.by_event) == ("erp", '["RD0"]', "D0-RD0")


def test_a_decision_is_linked_to_its_state_and_that_to_its_part(shop_slice: Slice) -> None:
    shop_slice.aggregates = (ORDER, PART)
    names = [*(f"A{i}" for i in range(3)), *(f"B{i}" for i in range(20))]
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE lines(id TEXT, no TEXT)",
        rows={
            "orders": [(no, "open", 1, 0, "north") for no in names],
            "lines": [(f"L{i}", no) for i, no in enumerate(names)],
        },
    )
    shop_slice.state(
        "order", ORDERS, [(n, "shut" if n[0] == "A" else "open", 1, Decimal(0)) for n in names]
    )
    # Three of the lines are of another order by now.
    moved = {"L0": "B0", "L1": "B1", "L2": "B2"}
    shop_slice.state("line", LINES, [(f"L{i}", moved.get(f"L{i}", n)) for i, n in enumerate(names)])
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH, "line": LINE_TRUTH}, {"open_orders": OPEN_TRUTH}, declared=(OPEN,)
    )
    clusters = {c.level: c for c in reconciled.rows("clusters") if c.name != "line"}
    assert clusters["outcome"].cause == "order.status differs"
    assert clusters["outcome"].fed_by == [clusters["state"].cluster]
    # Either side says whose the line is: one order lacks it, and another has one too many.
    state = {
        (r.subject, r.way, r.by_subject, r.by_column) for r in _of(reconciled, "state", "order")
    }
    assert state == {(f"A{i}", "part", f"L{i}", "order_no") for i in range(3)}
    assert clusters["state"].why == (
        "3 of 3 have line whose order_no differs (3 subjects); of the 20 that match, 3 do."
    )


def _of(reconciled: Reconciled, level: str, name: str) -> list[Row]:
    return [row for row in reconciled.rows("links") if (row["level"], row["name"]) == (level, name)]
