"""The stage on small slices: every seeded break is found at its level, and nothing else."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal

from pyspark.sql import SparkSession

from cutline.context import Outcome
from support.reconciled import (
    LINE_TRUTH,
    LINES,
    OPEN,
    OPEN_TRUTH,
    ORDER,
    ORDER_TRUTH,
    ORDERS,
    PART,
    Slice,
)

BIG = 9007199254740993


def test_a_slice_that_agrees_is_go(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 5, "1.10"), ("B", "closed", None, None), ("C", "", BIG, 0))
    shop_slice.state(
        "order",
        ORDERS,
        [
            ("A", "open", 5, Decimal("1.10")),
            ("B", "closed", None, None),
            ("C", "", BIG, Decimal(0)),
        ],
    )
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"open_orders": OPEN_TRUTH}, declared=(OPEN,)
    )
    facts = reconciled.result.stored()["facts"]
    assert facts["decision"] == "go"
    assert facts["decided_by"] == (
        "Every one of 4 gates says yes. "
        "Record: 0 of 3 subjects are missing, unexpected or duplicated (100 % match, 100 % needed)."
        " State: 0 of 3 subjects differ from the legacy's truth (100 % agree, 100 % needed)."
    )
    assert reconciled.breaks() == set()
    assert reconciled.outcomes() == {("A", "agree", "open", "open", None)}
    assert reconciled.result.counts["breaks"] == {"record": 0, "state": 0, "outcome": 0}
    assert reconciled.result.counts["outcomes:open_orders"]["agree"] == 1
    assert reconciled.result.rows_in == 6
    assert [t.name for t in reconciled.result.tables] == [
        *("truth_order", "outcomes", "breaks", "clusters", "links"),
        *("excuses", "reverify", "break_history", "exception_history", "trend"),
    ]
    assert json.loads(json.dumps(facts)) == facts
    assert {r.subject: r.paid for r in reconciled.rows("truth_order")}["A"] == Decimal("1.10")


def test_every_seeded_break_is_found_at_its_level(shop_slice: Slice) -> None:
    orders = {
        # subject: legacy (status, cents, paid), new
        "lost": (("open", 1, "1.00"), None),
        "new": (None, ("open", 1, "1.00")),
        "changed": (("open", 1, "1.00"), ("closed", 1, "1.00")),
        "swapped-1": (("open", 1, "1.00"), ("open", 2, "1.00")),
        "swapped-2": (("open", 2, "1.00"), ("open", 1, "1.00")),
        "neighbour": (("open", BIG, "1.00"), ("open", BIG - 1, "1.00")),
        "scale": (("open", 1, "1.1"), ("open", 1, "1.10")),
        "a cent": (("open", 1, "1.10"), ("open", 1, "1.11")),
        "null and empty": ((None, 1, "1.00"), ("", 1, "1.00")),
        "null and zero": (("open", None, "1.00"), ("open", 0, "1.00")),
        "trailing space": (("open", 1, "1.00"), ("open ", 1, "1.00")),
        "doubled": (("open", 1, "1.00"), ("open", 1, "1.00")),
    }
    shop_slice.orders(*((s, *legacy) for s, (legacy, _) in orders.items() if legacy))
    rows = [
        (s, status, cents, Decimal(paid))
        for s, (_, new) in orders.items()
        if new
        for status, cents, paid in [new]
    ]
    shop_slice.state("order", ORDERS, [*rows, ("doubled", "open", 1, Decimal(1))])
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"open_orders": OPEN_TRUTH}, declared=(_open_once(),)
    )
    assert reconciled.breaks() == {
        ("record", "order", "lost", "missing", None, None, None),
        ("record", "order", "new", "unexpected", None, None, None),
        ("record", "order", "doubled", "duplicated", None, "1", "2"),
        ("state", "order", "changed", "different", "status", "open", "closed"),
        ("state", "order", "swapped-1", "different", "cents", "1", "2"),
        ("state", "order", "swapped-2", "different", "cents", "2", "1"),
        ("state", "order", "neighbour", "different", "cents", str(BIG), str(BIG - 1)),
        ("state", "order", "a cent", "different", "paid", "1.10", "1.11"),
        ("state", "order", "null and empty", "different", "status", None, ""),
        ("state", "order", "null and zero", "different", "cents", None, "0"),
        ("state", "order", "trailing space", "different", "status", "open", "open "),
        ("outcome", "open_orders", "lost", "missing", None, "open", None),
        ("outcome", "open_orders", "new", "unexpected", None, None, "open"),
        ("outcome", "open_orders", "changed", "missing", None, "open", None),
        ("outcome", "open_orders", "trailing space", "missing", None, "open", None),
    }
    amounts = {r.subject: r.amount for r in reconciled.rows("breaks") if r.column == "cents"}
    assert amounts["neighbour"] == -1
    assert amounts["null and zero"] is None
    assert reconciled.result.counts["breaks"] == {"record": 3, "state": 8, "outcome": 4}
    record, state = reconciled.level("record", "order"), reconciled.level("state", "order")
    assert (record["compared"], record["matched"], record["breaks"]) == (12, 9, 3)
    assert (state["compared"], state["matched"], state["breaks"]) == (9, 1, 8)
    assert state["columns"] == {"status": 3, "cents": 4, "paid": 1}
    assert reconciled.result.decision == "no-go"
    assert reconciled.result.decided_by.startswith("Record: 3 of 12 subjects are missing")


def test_exceptions_explain_what_they_concern_and_nothing_else(shop_slice: Slice) -> None:
    nos = ("kept", "held", "other", "changed", "blamed")
    lines = [("kept", 1, "s", 1), ("kept", 2, "s", 1), ("held", 1, "s", 1), ("kept", 3, "s", 1)]
    shop_slice.legacy(
        "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
        "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
        rows={
            "orders": [(no, "open", 1, 1, "north") for no in nos],
            "lines": lines,
        },
    )
    paid = Decimal(1)
    shop_slice.state(
        "order",
        ORDERS,
        [("kept", "open", 1, paid), ("changed", "closed", 1, paid), ("blamed", "closed", 1, paid)],
    )
    shop_slice.aggregates = (ORDER, PART)
    shop_slice.state("line", "subject string, order_no string", [("kept/1", "kept")])
    shop_slice.exception("unreadable", "held", "order")  # explains the order and its line
    shop_slice.exception("also", "held", "order")
    shop_slice.exception("negative", "kept/2", "line", "event")  # explains that line alone
    shop_slice.exception("stale", "changed", "order")  # explains the state
    shop_slice.exception("elsewhere", "other", "line")  # of another aggregate: explains no order
    shop_slice.exception("elsewhere", "blamed", "line")
    shop_slice.exception("nobody", None, None)
    accept = [
        {"rule": r, "max_rate": 0.01, "reason": "looked at", "owner": "Ada"}
        for r in ("unreadable", "also", "negative", "stale", "elsewhere", "nobody")
    ]
    reconciled = shop_slice.reconcile(
        {
            "order": ORDER_TRUTH,
            "line": "SELECT no || '/' || line AS subject, no AS order_no FROM erp.lines",
        },
        {"open_orders": OPEN_TRUTH},
        declared=(OPEN,),
        gates={"accept": accept},
    )
    assert reconciled.breaks() == {
        ("record", "order", "other", "missing", None, None, None),
        ("record", "line", "kept/3", "missing", None, None, None),
        ("state", "order", "blamed", "different", "status", "open", "closed"),
        ("outcome", "open_orders", "other", "missing", None, "open", None),
        ("outcome", "open_orders", "blamed", "missing", None, "open", None),
    }
    assert reconciled.outcomes() == {
        ("kept", "agree", "open", "open", None),
        ("held", "explained", "open", None, "also"),
        ("other", "only-legacy", "open", None, None),
        ("changed", "explained", "open", None, "stale"),
        ("blamed", "only-legacy", "open", None, None),
    }
    order, line = reconciled.level("record", "order"), reconciled.level("record", "line")
    assert (order["explained"], order["explained_by"]) == (1, {"also": 1})
    assert (line["explained"], line["explained_by"]) == (2, {"also": 1, "negative": 1})
    assert (order["compared"], order["matched"]) == (4, 3)
    state = reconciled.level("state", "order")
    assert (state["compared"], state["matched"], state["explained"]) == (2, 1, 1)
    assert reconciled.level("outcome", "open_orders")["compared"] == 3


def test_counts_are_whole_without_broadcasts(shop_slice: Slice, spark: SparkSession) -> None:
    # Where nothing differs, Spark drops what it finds to be empty on the way: not the counts.
    shop_slice.orders(("A", "open", 5, "1.10"))
    shop_slice.state("order", ORDERS, [("A", "open", 5, Decimal("1.10"))])
    shop_slice.exception("unreadable", "Z", "order")
    key = "spark.sql.autoBroadcastJoinThreshold"
    before = spark.conf.get(key)
    try:
        spark.conf.set(key, "-1")
        reconciled = shop_slice.reconcile(
            {"order": ORDER_TRUTH, "line": "SELECT 1 AS subject WHERE 1 = 0"},
            {"open_orders": OPEN_TRUTH},
            declared=(OPEN,),
        )
    finally:
        spark.conf.set(key, before)
    assert reconciled.level("state", "order")["matched"] == 1
    assert reconciled.level("record", "line")["compared"] == 0
    assert reconciled.breaks() == set()
    decided_by = reconciled.result.decided_by
    assert decided_by == (
        "Exceptions: 1 of 1,000 source rows under rule 'unreadable', which nobody has accepted"
    )


def test_nested_truth_is_compared_by_value(shop_slice: Slice) -> None:
    shop_slice.legacy(
        "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
        rows={"lines": [("A", 1, "s", BIG), ("A", 2, "s", BIG), ("A", 3, "t|u", 1)]},
    )
    shop_slice.state(
        "line",
        LINES,
        [
            ("A/1", "s", [(BIG, "s")]),
            ("A/2", "s", [(BIG - 1, "s")]),
            ("A/3", "t|u", [(1, "t"), (1, "u")]),
        ],
    )
    reconciled = shop_slice.reconcile({"line": LINE_TRUTH})
    assert {(b[2], b[5], b[6]) for b in reconciled.breaks()} == {
        ("A/2", f'[{{"quantity":{BIG},"sku":"s"}}]', f'[{{"quantity":{BIG - 1},"sku":"s"}}]'),
        ("A/3", '[{"quantity":1,"sku":"t|u"}]',
         '[{"quantity":1,"sku":"t"},{"quantity":1,"sku":"u"}]'),
    }  # fmt: skip


def _open_once() -> Outcome:
    """As OPEN, but once per subject even where the state is doubled."""
    return dataclasses.replace(OPEN, decide=OPEN.decide.replace("SELECT", "SELECT DISTINCT"))


def test_a_truth_that_vouches_for_no_column_compares_no_state(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 1, 0), ("B", "shut", 7, 0))
    shop_slice.state("order", ORDERS, [("A", "open", 1, None), ("B", "WRONG", 9, None)])
    reconciled = shop_slice.reconcile({"order": "SELECT no AS subject FROM erp.orders"})
    assert reconciled.level("record", "order")["matched"] == 2
    level = reconciled.level("state", "order")
    assert (level["compared"], level["matched"], level["columns"]) == (0, 0, {})
    assert reconciled.result.decided_by == "State: nothing was compared, which is never GO"
