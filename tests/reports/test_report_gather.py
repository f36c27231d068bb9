"""A report gathered from the tables and facts of a small run."""

from __future__ import annotations

import shlex
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from cutline.masking import MASK
from cutline.tables import EXCEPTIONS
from cutline.workspace import Workspace
from cutline_reconciliation.history.identity import with_exception_id
from cutline_reports import RunReport, as_html, as_json
from cutline_reports.gather import gather
from cutline_reports.html import show_command
from cutline_reports.model import Ratio, RuleCount, ValuePair
from support.reported import RUN, reported


@pytest.fixture(scope="module")
def workspace(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return reported(spark, tmp_path_factory.mktemp("gathered"))


@pytest.fixture(scope="module")
def report(workspace: Workspace) -> RunReport:
    return gather(workspace)


def test_the_books(report: RunReport) -> None:
    books = report.books
    assert (books.source_rows, books.synthetic, books.native) == (1000, 2000, 500)
    assert (books.timeline, books.native_unreadable, books.unexplained) == (2400, 4, 0)
    assert books.rules[0] == RuleCount("translated", "rule-translated", 988)
    assert len(books.rules) == 3


def test_gates_find_their_numbers(report: RunReport) -> None:
    gates = [(g.name, g.kind, g.measured, g.required) for g in report.decision.gates]
    assert gates == [
        ("conservation", "condition", None, None),
        ("exceptions:odd", "cap", Ratio(8, 2500), Decimal("0.01")),
        ("exceptions:odd", "cap", Ratio(7, 1000), Decimal("0.01")),
        ("record", "rate", Ratio(89, 90), Decimal("1.0")),
        ("state", "rate", Ratio(81, 89), Decimal("0.9")),
        ("outcome:money_due", "rate", Ratio(1, 9), Decimal("1.0")),
    ]
    assert [g.decided for g in report.decision.gates] == [False] * 5 + [True]


def test_levels(report: RunReport) -> None:
    record, state, outcome = report.levels
    assert (record.rate, record.explained, record.breaks) == (Ratio(89, 90), 2, 1)
    assert record.rows[0].notes == {"explained by odd": 2}
    assert (state.rate, state.breaks) == (Ratio(81, 89), 8)
    assert (outcome.rate, outcome.breaks) == (Ratio(1, 9), 8)
    assert outcome.rows[0].question == "How much is due?"


def test_breaks_come_by_weight_with_their_pairs_and_largest_examples(report: RunReport) -> None:
    assert [(g.level, g.name, g.column, g.kind, g.count) for g in report.breaks] == [
        ("outcome", "money_due", None, "different", 1),
        ("state", "order", "cents", "different", 8),
        ("state", "customer", "phone", "different", 1),
        ("state", "order", "account", "different", 1),
        ("state", "order", "income", "different", 1),
        ("record", "customer", None, "missing", 1),
    ]
    cents = report.breaks[1]
    assert cents.amount == 5 * 5 + 6 + 7 + 8
    assert cents.pairs == (
        ValuePair("0", "5", 5),
        ValuePair("0", "6", 1),
        ValuePair("0", "7", 1),
        ValuePair("0", "8", 1),
    )
    assert [e.subject for e in cents.examples] == ["SO-8", "SO-7", "SO-6", "SO-1", "SO-2"]
    due = report.breaks[0]
    assert (due.unit, due.amount) == ("EUR", Decimal("-1.5"))
    assert due.examples[0].legacy == "x" * 300 + " … (1000 characters)"


def test_exceptions_come_with_their_share_and_acceptance(report: RunReport) -> None:
    exception_groups = [(g.rule, g.level, g.share, g.within_cap) for g in report.exceptions]
    assert exception_groups == [
        ("unread", "source-row", Ratio(2, 1000), False),
        ("odd", "event", Ratio(8, 2500), True),
        ("odd", "source-row", Ratio(7, 1000), True),
    ]
    unread, events, rows = report.exceptions
    assert unread.accepted is None
    assert rows.accepted is not None
    assert rows.accepted.owner == "Ada"
    assert len(rows.examples) == len(events.examples) == 5
    masked = f'{{\n  "iban": {MASK},\n  "income": {MASK}\n}}'
    assert [e.payload for e in events.examples] == [masked, None, None, None, None]
    assert rows.examples[0].payload == f'{{\n  "order_no": "SO-1",\n  "phone": {MASK}\n}}'
    assert {e.payload for e in unread.examples} == {
        "left out: 30,000 characters",
        "withheld: 21 characters that are no JSON may be personal",
    }


def test_exceptions_have_the_ids_that_the_work_list_has(
    workspace: Workspace, report: RunReport
) -> None:
    exceptions = workspace.lake.read(workspace.spark, EXCEPTIONS)
    work_list = with_exception_id(exceptions, workspace.context.name, workspace.region)
    ids = {(row["rule"], row["level"], row["id"]) for row in work_list.collect()}
    shown = {(g.rule, g.level, e.id) for g in report.exceptions for e in g.examples}
    assert len(shown) == 12
    assert shown <= ids


def test_findings(report: RunReport) -> None:
    (late,) = report.findings
    assert (late.rule, late.aggregate, late.count) == ("late", "order", 7)
    assert [e.subject for e in late.examples] == ["SO-0", "SO-1", "SO-2", "SO-3", "SO-4"]


def test_provenance(report: RunReport) -> None:
    provenance = report.provenance
    assert provenance.cut.startswith(
        "History is everything committed up to 2026-11-01 06:00:00 UTC; the live tail begins with"
    )
    assert [(t.name, t.version) for t in provenance.translators] == [
        ("read-orders", "1.2.3"),
        ("read-customers", "1.0.0"),
    ]
    assert [s.name for s in provenance.stages] == [
        "extract",
        "translate",
        "merge",
        "project",
        "reconcile",
    ]
    assert provenance.stages[0].rows_per_second == 500
    assert provenance.stages[1].seconds is None
    assert provenance.sources[0].snapshot == "0/16B3748"


def test_clusters_come_by_count_with_the_rows_behind_them(report: RunReport) -> None:
    clusters = report.clusters
    assert [c.id for c in clusters.shown] == [
        "c0ffee",
        "dead",
        *(f"c{n}" for n in range(3, 21)),
        "c25",
    ]
    assert (clusters.more, clusters.breaks_in_more) == (4, 4)
    first, second = clusters.shown[:2]
    assert (first.count, first.money, first.cause) == (8, Decimal(46), "erp.orders.channel = WEB")
    assert (first.why, first.fed_by, first.settled) == ("All 8 came through the web.", ("dead",), 8)
    assert first.risk_ratio == Decimal("143.1")
    assert [e.new for e in first.examples] == ["8", "7", "6", "5", "5"]
    assert [(e.source, e.table, e.key) for e in first.examples[:1]] == [
        ("erp", "orders", '["SO-8"]')
    ]
    assert [(e.subject, e.key) for e in second.examples] == [(MASK, f'["{MASK}"]')]
    assert (second.cause, second.money) == (None, None)


def test_nothing_personal_reaches_either_view(report: RunReport) -> None:
    for view in (as_html(report), as_json(report)):
        assert "x.example" not in view
        assert "+4930" not in view
        assert "49304930" not in view
        assert "49,304,930" not in view
        assert MASK in view or "\\u2022" in view


def test_the_commands_in_the_report_find_the_rows(
    spark: SparkSession, workspace: Workspace, report: RunReport
) -> None:
    for group in report.breaks:
        key = {"level": group.level, "name": group.name, "column": group.column, "kind": group.kind}
        where = shlex.split(show_command(RUN, "breaks", **key))[-1]
        assert workspace.lake.read(spark, "breaks").where(where).count() == group.count
