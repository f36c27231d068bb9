"""Waivers applied to breaks, and what the gates say of them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.context import Context
from cutline.errors import ConfigurationError
from cutline.project.waivers import Waiver
from cutline.results.reconcile import Category, LevelResults, OutcomeLevel
from cutline.tables import BREAKS
from cutline.tables.breaks import LEVELS
from cutline_reconciliation.waivers.apply import Tally, WaiverCounting, with_waiver
from cutline_reconciliation.waivers.check import check_waivers
from cutline_reconciliation.waivers.verdicts import verdicts
from cutline_reconciliation.waivers.without_waived import waived_subjects, without_waived
from support.reconciled import BY_STATUS, LINE, OPEN, OPEN_TRUTH, ORDER_TRUTH, ORDERS, Slice

AT = dt.datetime(2026, 11, 1, 23, 59, tzinfo=dt.UTC)
SHOP = Context("shop", "A shop.", (BY_STATUS, LINE), (OPEN,))


def waiver(name: str, match: dict[str, Any], **more: Any) -> Waiver:
    defaults = {"reason": "Known.", "owner": "Ada", "ticket": "T-1", "expires": "2026-12-31"}
    return Waiver.model_validate(
        {"name": name, "match": match, "max_breaks": 10, "max_money": "100"} | defaults | more
    )


def a_break(subject: str, **more: Any) -> dict[str, Any]:
    base = {"level": "state", "name": "order", "subject": subject, "kind": "different"}
    return base | {"column": "cents", "legacy": "1", "new": "2", "amount": Decimal(1)} | more


def frame(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    return spark.createDataFrame([tuple(r.get(n) for n in BREAKS.names) for r in rows], BREAKS.ddl)


def apply_waivers(
    spark: SparkSession, rows: list[dict[str, Any]], *waivers: Waiver
) -> tuple[dict[str, list[str]], dict[str, Tally], dict[str, tuple[bool, str]]]:
    """Subjects by waiver, tallies, and verdicts."""
    breaks = with_waiver(frame(spark, rows).drop("waiver"), waivers, AT)
    counting = WaiverCounting(waivers, AT, LEVELS)
    counts = counting.counts.columns
    [counted] = breaks.agg(*(c.alias(n) for n, c in counts.items())).collect()
    subjects_by_waiver: dict[str, list[str]] = {}
    for row in breaks.collect():
        subjects_by_waiver.setdefault(row["waiver"], []).append(row["subject"])
    plain = {name: int(number or 0) for name, number in counted.asDict().items()}
    tallies = counting.tallies(plain)
    levels = {level: sum(r["level"] == level for r in rows) for level in LEVELS}
    gate_verdicts = verdicts(tallies, levels)
    return (
        subjects_by_waiver,
        {t.waiver.name: t for t in tallies},
        {v.name.removeprefix("waiver:"): (v.passed, v.sentence) for v in gate_verdicts},
    )


def test_each_key_narrows_and_texts_are_taken_literally(spark: SparkSession) -> None:
    rows = [
        a_break("A"),
        a_break("record", level="record", kind="missing", column=None, legacy=None, new=None),
        a_break("line", name="line"),
        a_break("status", column="status"),
        a_break("SO-1"),
        a_break("SO-1/2"),
        a_break("SO.1"),
        a_break("a\nb\\E*"),
        a_break("old", legacy="7"),
        a_break("new", new="x.y"),
        a_break("newer", new="xzy"),
        a_break("dear", amount=Decimal("90.5")),
    ]
    one_by_one = {
        "record": {"level": "record", "kind": "missing"},
        "line": {"name": "line"},
        "status": {"column": "status"},
        "list": {"subjects": ["A", "nobody"]},
        "dots": {"subject_pattern": "SO.?"},
        "dashes": {"subject_pattern": "SO-*"},
        "odd": {"subject_pattern": "a\nb\\E*"},
        "legacy": {"legacy": "7"},
        "new": {"new_pattern": "x.*"},
        "sql": {"where": "amount > 50 -- and no more"},
        "cents": {"column": "cents", "new": "xzy"},
    }
    subjects_by_waiver, _, _ = apply_waivers(
        spark, rows, *(waiver(n, m) for n, m in one_by_one.items())
    )
    assert subjects_by_waiver == {
        "record": ["record"],
        "line": ["line"],
        "status": ["status"],
        "list": ["A"],
        "dots": ["SO.1"],
        "dashes": ["SO-1", "SO-1/2"],
        "odd": ["a\nb\\E*"],
        "legacy": ["old"],
        "new": ["new"],
        "sql": ["dear"],
        "cents": ["newer"],
    }


def test_verdicts_say_which_and_with_numbers(spark: SparkSession) -> None:
    rows = [
        a_break("A", amount=Decimal("0.5")),
        a_break("B", amount=Decimal("-99.500001")),
        a_break("C", amount=None),
        a_break("D", level="outcome", name="open_orders", amount=Decimal(10)),
        a_break("E", level="outcome", name="open_orders", amount=Decimal(10)),
        a_break("F", level="outcome", name="open_orders", column=None),
    ]
    b = {"subjects": ["B"]}
    _, tally, verdicts_by_waiver = apply_waivers(
        spark,
        rows,
        waiver("late", b, expires="2026-10-31"),
        waiver("today", {"subjects": ["A"]}, expires="2026-11-01"),
        waiver("money", b, max_money="99.5"),
        waiver("count", {"level": "outcome", "column": "cents"}, max_breaks=1),
        waiver("again", {"level": "outcome", "name": "open_orders"}, max_money=1),
        waiver("shadowed", {"level": "outcome", "column": "cents", "kind": "different"}),
        waiver("nothing", {"subjects": ["Z"]}),
        waiver("unknown", {"subjects": ["C"]}, max_money=0),
    )
    assert {name: passed for name, (passed, _) in verdicts_by_waiver.items()} == {
        "late": False,
        "today": True,
        "money": False,
        "count": False,
        "again": True,
        "shadowed": False,
        "nothing": False,
        "unknown": True,
    }
    assert {name: sentence for name, (_, sentence) in verdicts_by_waiver.items()} == {
        "late": "Waiver late: its last day was 2026-10-31",
        "today": "Waiver today: 1 break, at most 10; amounts of 0.5, at most 100; "
        "accepted up to 2026-11-01 by Ada (T-1)",
        "money": "Waiver money: 1 break, at most 10; amounts of 99.500001, at most 99.5. "
        "It is exceeded",
        "count": "Waiver count: 2 breaks, at most 1; amounts of 20, at most 100. It is exceeded",
        "again": "Waiver again: 1 break, at most 10; amounts of 1, at most 1; earlier waivers took "
        "2 more that it matches; accepted up to 2026-12-31 by Ada (T-1)",
        "shadowed": "Waiver shadowed: it is not used, for earlier waivers took all 2 breaks that "
        "it matches",
        "nothing": "Waiver nothing: it matches nothing. Remove it if its breaks are fixed",
        "unknown": "Waiver unknown: 1 break, at most 10; amounts of 0, at most 0 (1 without an "
        "amount); accepted up to 2026-12-31 by Ada (T-1)",
    }
    assert (tally["late"].taken, tally["late"].matched) == (0, 1)


def test_what_an_expired_one_would_take_and_what_is_every_break_is_told(
    spark: SparkSession,
) -> None:
    rows = [a_break("A", amount=Decimal("9e31")), a_break("B", amount=Decimal("9e31"))]
    subjects_by_waiver, _, verdicts_by_waiver = apply_waivers(
        spark,
        rows,
        waiver("late", {"subjects": ["A"]}, expires="2026-10-01"),
        waiver("all", {"name": "order", "subjects": ["B"]}, max_money="1e33"),
    )
    assert subjects_by_waiver == {None: ["A"], "all": ["B"]}
    assert (
        verdicts_by_waiver["late"][1]
        == "Waiver late: its last day was 2026-10-01; 1 break would be its own"
    )
    _, _, verdicts_by_waiver = apply_waivers(
        spark, rows, waiver("all", {"name": "order"}, max_money="1e33")
    )
    assert "that is every break of state level" in verdicts_by_waiver["all"][1]
    assert (
        "amounts of 180,000,000,000,000,000,000,000,000,000,000, at most"
        in verdicts_by_waiver["all"][1]
    )
    assert verdicts_by_waiver["all"][0]


def test_a_subject_is_waived_when_all_its_breaks_are(spark: SparkSession) -> None:
    web = {"category": "channel=web", "level": "outcome", "name": "open_orders"}
    rows = [
        a_break("A", waiver="w"),
        a_break("A", column="status", waiver="x"),
        a_break("B", waiver="w"),
        a_break("B", column="status"),
        a_break("B", level="record", waiver="w"),
        a_break("C"),
        a_break("D", **web, waiver="w", at_risk=Decimal("1.5")),
        a_break("E", **web, waiver="w", at_risk=None),
        a_break("F", **web, at_risk=Decimal(7)),
    ]
    waived = waived_subjects(frame(spark, rows), ["channel=web"])
    assert {(w.level, w.category): (w.subjects, w.at_risk) for w in waived} == {
        ("state", None): (1, 0),
        ("record", None): (1, 0),
        ("outcome", "channel=web"): (2, Decimal("1.5")),
    }
    of_web = Category("channel=web", 5, 2, 3, 0, 0, 0, at_risk=Decimal("8.5"))
    of_none = Category(None, 1, 1, 0, 0, 0, 0)
    level = OutcomeLevel("open_orders", "?", "EUR", 6, 3, 0, 3, 0, 0, 0, 0)
    level = replace(level, at_risk=Decimal("8.5"), categories=(of_web, of_none))
    left = without_waived(LevelResults((), (), (level,)), waived).outcome[0]
    assert (left.compared, left.matched, left.waived, left.at_risk) == (4, 3, 2, 7)
    assert left.categories == (
        replace(of_web, compared=3, broken=1, at_risk=Decimal("7.0")),
        of_none,
    )


def test_what_is_at_risk_is_known_where_what_has_no_amount_is_waived(spark: SparkSession) -> None:
    web = {"category": "channel=web", "level": "outcome", "name": "open_orders"}
    doubled = a_break("A", **web, kind="duplicated", at_risk=None)
    rows = [
        a_break("B", **web, at_risk=Decimal(5)),
        a_break("C", **web | {"category": "channel=shop"}, at_risk=Decimal(2)),
    ]
    parts = (
        Category("channel=web", 5, 3, 2, 0, 0, 0),
        Category("channel=shop", 2, 1, 1, 0, 0, 0, at_risk=Decimal(2)),
    )
    level = OutcomeLevel("open_orders", "?", "EUR", 7, 4, 0, 2, 0, 0, 0, 0, duplicated=1)
    level = replace(level, legacy_total=Decimal(70), categories=parts)

    def at_risk(*breaks: dict[str, Any]) -> list[Decimal | None]:
        waived = waived_subjects(frame(spark, list(breaks)), ["channel=web", "channel=shop"])
        left = without_waived(LevelResults((), (), (level,)), waived).outcome[0]
        return [left.at_risk, *(part.at_risk for part in left.categories)]

    assert at_risk(doubled | {"waiver": "w"}, *rows) == [7, 5, 2]
    assert at_risk(doubled, rows[0] | {"waiver": "w"}, rows[1]) == [None, None, 2]
    assert at_risk(doubled, *rows) == [None, None, 2]
    every = [row | {"waiver": "w"} for row in (doubled, *rows)]
    assert at_risk(*every) == [0, None, 0]


def test_waived_subjects_of_categories_beyond_those_listed_are_one_row(spark: SparkSession) -> None:
    rows = [a_break(f"S{n}", waiver="w", category=f"shop={n}") for n in range(20)]
    rows += [a_break("none", waiver="w")]
    waived = waived_subjects(frame(spark, rows), ["shop=3"])
    assert {(w.category, w.listed): w.subjects for w in waived} == {
        ("shop=3", True): 1,
        (None, True): 1,
        (None, False): 19,
    }
    parts = (Category("shop=3", 2, 1, 1, 0, 0, 0), Category(None, 5, 1, 4, 0, 0, 0))
    level = replace(
        OutcomeLevel("open_orders", "?", "EUR", 40, 3, 0, 3, 0, 0, 0, 0), categories=parts
    )
    of_outcome = [replace(w, level="outcome", name="open_orders") for w in waived]
    left = without_waived(LevelResults((), (), (level,)), of_outcome).outcome[0]
    assert (left.compared, left.waived) == (19, 21)
    assert [(part.compared, part.broken) for part in left.categories] == [(1, 0), (4, 3)]


@pytest.mark.parametrize(
    ("match", "message"),
    [
        ({"name": "ordr"}, "(bad).match.name: 'ordr' is none of order, line, open_orders. Did you"),
        ({"level": "outcome", "name": "order"}, "'order' is none of open_orders."),
        ({"level": "state", "name": "open_orders"}, "'open_orders' is none of order, line."),
        ({"where": "legcy = '1'"}, "match.where: \"legcy = '1'\" cannot be asked: [UNRESOLVED"),
        ({"where": "legacy ="}, "cannot be asked: "),
        ({"where": "legacy"}, "it gives a string, and neither true nor false"),
        ({"where": "rand() < 0.5"}, "the function rand is none that a condition may"),
        ({"where": "current_date() > '2026-01-01'"}, "the function current_date is none that"),
        ({"where": "max(amount) > 1"}, "the function max is none that a condition may"),
        ({"where": "reflect('java.lang.System', 'getenv', subject) = ''"}, "reflect"),
        ({"where": "subject in (select value from text.`/etc/passwd`)"}, "it holds a subquery"),
        ({"where": "true"}, "'true' holds of a record or state or outcome break whatever is in it"),
        ({"where": "amount is null or amount is not null"}, "it matches everything"),
        ({"where": "level = 'state'"}, "holds of a state break whatever is in it"),
        ({"level": "state", "where": "subject is not null"}, "it matches everything"),
        ({"where": "kind <> 'x'"}, "it matches everything"),
        # Every value that there is, named.
        (
            {"where": "kind in ('missing', 'unexpected', 'different', 'duplicated')"},
            "holds of a record or state or outcome break whatever is in it",
        ),
        ({"where": "name in ('order', 'line', 'open_orders')"}, "it matches everything"),
        ({"where": "column in ('status')"}, "holds of a state break whatever is in it"),
        ({"where": "kind = 'different' or amount > 5"}, "holds of a state break"),
        ({"where": "state in ('opened', 'persisting', 'reopened')"}, "it matches everything"),
        ({"where": "length(subject) >= 0"}, "it matches everything"),
        ({"level": "outcome", "name": "open_orders"}, "match.level: it holds of a outcome break"),
        ({"level": "state", "kind": "different"}, "match.level: it holds of a state break"),
        ({"subjects": ["7"]}, "subjects of which aggregate? Say `aggregate`, one of order, line"),
        ({"subject_pattern": "7*"}, "match.subject_pattern: subjects of which aggregate?"),
        (
            {"where": "subject = '7'"},
            "match.where: \"subject = '7'\": subjects of which aggregate?",
        ),
        ({"level": "outcome", "where": "`Subject` like '7%'"}, "subjects of which aggregate?"),
        ({"aggregate": "ordr", "column": "x"}, "match.aggregate: 'ordr' is none of order, line."),
    ],
)
def test_what_cannot_be_asked_or_is_everything_is_refused(
    spark: SparkSession, match: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        check_waivers([waiver("fine", {"where": "amount < 5"}), waiver("bad", match)], SHOP, spark)
    assert error.value.what.startswith("waivers.yaml: waivers (bad).match.")
    assert message in error.value.what


WAIVERS = """
version: 1
waivers:
  - name: known
    region: north
    match: {level: state, aggregate: order, subjects: [B, C]}
    reason: Left by the clean-up.
    owner: Ada
    ticket: T-1
    expires: 2026-12-31
    max_breaks: 2
    max_money: 1
  - name: elsewhere
    region: south
    match: {level: state, column: paid}
    reason: Only there.
    owner: Ada
    ticket: T-2
    expires: 2026-12-31
    max_breaks: 1
"""


def test_a_waived_break_is_kept_shown_and_not_counted_by_its_level(shop_slice: Slice) -> None:
    shop_slice.orders(("A", "open", 1, "1"), ("B", "open", 1, "1"), ("C", "open", 1, "1"))
    paid = Decimal(1)
    shop_slice.state(
        "order", ORDERS, [("A", "open", 1, paid), ("B", "open", 2, paid), ("C", "shut", 1, paid)]
    )
    (shop_slice.folder / "waivers.yaml").write_text(WAIVERS)
    reconciled = shop_slice.reconcile(
        {"order": ORDER_TRUTH}, {"open_orders": OPEN_TRUTH}, declared=(OPEN,)
    )
    facts = reconciled.result.stored()["facts"]
    assert {(r["subject"], r["column"]): r["waiver"] for r in reconciled.rows("breaks")} == {
        ("B", "cents"): "known",
        ("C", "status"): "known",
        ("C", None): None,
    }
    state = reconciled.level("state", "order")
    assert (state["compared"], state["matched"], state["waived"], state["breaks"]) == (1, 1, 2, 2)
    gates = {g["name"]: g for g in facts["gates"]}
    assert [name for name, g in gates.items() if not g["passed"]] == ["outcome:open_orders"]
    assert list(gates)[:2] == ["conservation", "waiver:known"]
    assert facts["memory"]["levels"]["state"]["waived"] == 2
    [stored_waiver] = facts["waivers"]
    assert (stored_waiver["name"], stored_waiver["taken"], stored_waiver["money"]) == (
        "known",
        2,
        "1.000000",
    )
    assert stored_waiver["match"] == {
        "level": "state",
        "aggregate": "order",
        "subjects": ["B", "C"],
    }
    (shop_slice.folder / "waivers.yaml").write_text(
        WAIVERS.replace("max_breaks: 2", "max_breaks: 1")
    )
    again = shop_slice.reconcile({"order": ORDER_TRUTH}).result.stored()["facts"]
    assert again["decision"] == "no-go"
    assert again["decided_by"].startswith("Waiver known: 2 breaks, at most 1;")


def test_what_takes_whatever_may_break_is_no_go_although_it_names_a_value(
    shop_slice: Slice,
) -> None:
    """Nobody knows before the run how long subjects are, and how large values."""
    shop_slice.orders(("A", "open", 1, "1"), ("B", "open", 700, "1"))
    paid = Decimal(1)
    shop_slice.state("order", ORDERS, [("A", "open", 1, paid), ("B", "open", 701, paid)])
    conditions = {
        "short": "length(subject) < 30",
        "some": "length(subject) < 2 and column <> 'status'",
        "large": "coalesce(amount, 0) < 1000000",
        "cents": "abs(amount) < 5",
        "letters": "subject rlike '^[A-Z]' and kind = 'different'",
    }
    entries = "".join(
        f"""
  - name: {name}
    match: {{level: state, where: "{where}"}}
    reason: Known.
    owner: Ada
    ticket: T-1
    expires: 2026-12-31
    max_breaks: 9
    max_money: 9
"""
        for name, where in conditions.items()
    )
    (shop_slice.folder / "waivers.yaml").write_text(f"version: 1\nwaivers:{entries}")
    facts = shop_slice.reconcile({"order": ORDER_TRUTH}).result.stored()["facts"]
    sentences_by_gate = {g["name"]: g["sentence"] for g in facts["gates"] if not g["passed"]}
    wide = "whatever may break at state level is its own. Say which breaks were looked at"
    assert {name: text for name, text in sentences_by_gate.items() if wide in text} == {
        f"waiver:{name}": f"Waiver {name}: {wide}" for name in ("short", "large", "letters")
    }
    assert facts["decision"] == "no-go"
