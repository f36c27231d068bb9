"""A report gathered from the tables and facts of a small run."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, Outcome
from cutline.lake.lake import Lake
from cutline.project.loaded import Project
from cutline.project.model import ProjectFile
from cutline.run.workspace import Workspace
from cutline.stages.stage import StageResult, TableWritten
from cutline.tables import BREAKS, DISPOSITIONS, EXCEPTIONS, FINDINGS, Table
from cutline.translator import SourceContract, Translation, Translator, column, table
from cutline_reports import RunReport, as_html, as_json
from cutline_reports.gather import gather
from cutline_reports.html import _show
from cutline_reports.masking import MASK
from cutline_reports.model import Ratio, RuleCount, ValuePair

RUN = "shop-north-1"


class Joined(Event):
    """A customer joined."""


class Customers(SourceContract):
    """One customer."""

    email: T.StringType = column(doc="The address.", personal=True, nullable=False)
    region: T.StringType = column(doc="The region.")

    class Config:
        metadata = table("crm", "customers", key=["email"])


class Orders(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="The number.", nullable=False)
    phone: T.StringType = column(doc="The buyer's phone.", personal=True)

    class Config:
        metadata = table("erp", "orders", key=["order_no"])


ORDER = Aggregate(name="order", doc="One order.", events=(Joined,), state={})
CUSTOMER = Aggregate(name="customer", doc="One customer.", events=(), state={})
DUE = Outcome("money_due", "How much is due?", "select 1", unit="EUR")
SHOP = Context("shop", "A shop.", (ORDER, CUSTOMER), (DUE,))


class ReadOrders(Translator):
    context, aggregate, version = SHOP, "order", "1.2.3"
    source, subject = Orders, "order_no"


class ReadCustomers(Translator):
    context, aggregate, version = SHOP, "customer", "1.0.0"
    source, subject = Customers, "email"


TRANSLATION = Translation("shop", "1.2.3", SHOP, (ReadOrders, ReadCustomers))
GATES: dict[str, Any] = {
    "state": {"min_match_rate": 0.9},
    "accept": [{"rule": "odd", "max_rate": 0.01, "reason": "They are odd.", "owner": "Ada"}],
}
FACTS: dict[str, Any] = {
    "unexplained": 0,
    "decision": "no-go",
    "decided_by": "Outcome: 8 of 9 differ",
    "gates": [
        {"name": "conservation", "passed": True, "sentence": "All there"},
        {"name": "exceptions:odd", "passed": True, "sentence": "8 events"},
        {"name": "exceptions:odd", "passed": True, "sentence": "7 rows"},
        {"name": "record", "passed": True, "sentence": "Records match"},
        {"name": "state", "passed": True, "sentence": "States agree"},
        {"name": "outcome:money_due", "passed": False, "sentence": "Outcome: 8 of 9 differ"},
    ],
    "levels": {
        "record": [
            {
                "name": "order", "compared": 90, "matched": 89, "missing": 1, "unexpected": 0,
                "duplicated": 0, "explained": 2, "explained_by": {"odd": 2}, "breaks": 1,
                "rate": 0.98,
            }
        ],
        "state": [
            {
                "name": "order", "compared": 89, "matched": 81, "breaks": 8, "explained": 0,
                "columns": {"cents": 8, "status": 0}, "rate": 0.91,
            }
        ],
        "outcome": [
            {
                "name": "money_due", "question": "How much is due?", "unit": "EUR",
                "compared": 9, "agree": 0, "within_tolerance": 1, "differ": 8, "only_legacy": 0,
                "only_new": 0, "not_eligible": 3, "explained": 0, "rate": 0.1,
            }
        ],
    },
}  # fmt: skip


def written(
    spark: SparkSession, lake: Lake, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    schema = ", ".join(f"`{c.name}` {c.type}" for c in table.columns)
    frame = spark.createDataFrame([tuple(r.get(n) for n in table.names) for r in rows], schema)
    lake.write(frame, table)


def exception(number: int, rule: str, level: str, **more: Any) -> dict[str, Any]:
    return {
        "rule": rule,
        "level": level,
        "aggregate": "order",
        "subject": f"SO-{number}",
        "reason": "It is odd.",
        "source": "erp",
        "table": "orders",
        "key": f'["SO-{number}"]',
        "position": "0",
        "payload": f'{{"order_no":"SO-{number}","phone":"+4930{number}"}}',
    } | more


@pytest.fixture(scope="module")
def workspace(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder: Path = tmp_path_factory.mktemp("gathered")
    lake = Lake(str(folder / "lake/shop/north" / RUN))
    breaks = [
        {
            "level": "state", "name": "order", "subject": f"SO-{n}", "kind": "different",
            "column": "cents", "legacy": "0", "new": "5" if n < 6 else str(n),
            "amount": Decimal(5 if n < 6 else n),
        }
        for n in range(1, 9)
    ]  # fmt: skip
    breaks += [
        {"level": "record", "name": "customer", "subject": "ada@x.example", "kind": "missing"},
        {
            "level": "state", "name": "customer", "subject": "ada@x.example", "kind": "different",
            "column": "phone", "legacy": "+4930777", "new": "",
        },
        {
            "level": "outcome", "name": "money_due", "subject": "SO-1", "kind": "different",
            "legacy": "x" * 1000, "new": "2", "amount": Decimal("-1.5"),
        },
    ]  # fmt: skip
    written(spark, lake, BREAKS, breaks)
    rows = [exception(n, "odd", "source-row") for n in range(1, 8)]
    rows += [exception(n, "odd", "event", payload=None) for n in range(1, 9)]
    rows += [
        exception(1, "unread", "source-row", payload="x" * 30_000, subject=None, aggregate=None),
        exception(
            2, "unread", "source-row", source="crm", table="customers", key='["bob@x.example"]',
            subject="bob@x.example", aggregate="customer", payload="bob@x.example;north;;",
        ),
    ]  # fmt: skip
    written(spark, lake, EXCEPTIONS, rows)
    written(
        spark,
        lake,
        FINDINGS,
        [
            {
                "rule": "late", "aggregate": "order", "subject": f"SO-{n}", "event_id": f"{n}",
                "type": "Joined", "reason": "too late",
            }
            for n in range(7)
        ],
    )  # fmt: skip
    ends = {"translated": 988, "no-op": 3, "quarantined": 9}
    written(
        spark,
        lake,
        DISPOSITIONS,
        [{"disposition": d, "rule": f"rule-{d}"} for d, n in ends.items() for _ in range(n)],
    )
    file = ProjectFile.model_validate(
        {
            "version": 1,
            "name": "shop",
            "topics": {"prefix": "shop"},
            "sources": {},
            "contexts": {
                "shop": {
                    "translation": {"use": "shop", "major": 1},
                    "cut": {"policy": "commit-timestamp", "at": "2026-11-01T07:00:00+01:00"},
                    "gates": GATES,
                }
            },
            "regions": {"north": {}},
        }
    )
    done = {
        "extract": StageResult(
            1000, 1000, (TableWritten("changes_erp_orders", 1000, "ab"),),
            facts={
                "extracts": {
                    "erp": {
                        "extracted_at": "2026-11-01T02:00:00+00:00", "position": "ff00",
                        "snapshot": "0/16B3748", "tables": {"orders": 1000},
                    }
                }
            },
        ),
        "translate": StageResult(1000, 2000, counts={"dispositions": ends}),
        "merge": StageResult(
            2500, 2400, counts={"verdicts": {"accepted": 2400, "held": 100}},
            facts={"candidates": {"synthetic": 2000, "native": 500}, "native_unreadable": 4},
        ),
        "project": StageResult(2400, 91, counts={"subjects": {"order": 90, "customer": 1}}),
        "reconcile": StageResult(91, 11, facts=json.loads(json.dumps(FACTS))),
    }  # fmt: skip
    return Workspace(
        run_id=RUN,
        region="north",
        project=Project(file, folder, folder / "cutline.yaml", "north"),
        context=SHOP,
        translation=TRANSLATION,
        lake=lake,
        recorded_at=dt.datetime(2026, 11, 1, 6, 30, tzinfo=dt.UTC),
        positions={"erp": "ff00"},
        done=done,
        seconds={"extract": 2.0},
    )


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
    told = [(g.name, g.kind, g.measured, g.required) for g in report.decision.gates]
    assert told == [
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
    told = [(g.rule, g.level, g.share, g.within_cap) for g in report.exceptions]
    assert told == [
        ("unread", "source-row", Ratio(2, 1000), False),
        ("odd", "event", Ratio(8, 2500), True),
        ("odd", "source-row", Ratio(7, 1000), True),
    ]
    unread, events, rows = report.exceptions
    assert unread.accepted is None
    assert rows.accepted is not None
    assert rows.accepted.owner == "Ada"
    assert len(rows.examples) == len(events.examples) == 5
    assert events.examples[0].payload is None
    assert rows.examples[0].payload == f'{{\n  "order_no": "SO-1",\n  "phone": {MASK}\n}}'
    assert {e.payload for e in unread.examples} == {
        "left out: 30,000 characters",
        "withheld: 21 characters that are no JSON may be personal",
    }


def test_findings(report: RunReport) -> None:
    (late,) = report.findings
    assert (late.rule, late.aggregate, late.count) == ("late", "order", 7)
    assert [e.subject for e in late.examples] == ["SO-0", "SO-1", "SO-2", "SO-3", "SO-4"]


def test_provenance(report: RunReport) -> None:
    told = report.provenance
    assert told.cut.startswith(
        "History is what the sources committed up to and including 2026-11-01 06:00:00 UTC."
    )
    assert [(t.name, t.version) for t in told.translators] == [
        ("read-orders", "1.2.3"),
        ("read-customers", "1.0.0"),
    ]
    assert [s.name for s in told.stages] == [
        "extract",
        "translate",
        "merge",
        "project",
        "reconcile",
    ]
    assert told.stages[0].rows_per_second == 500
    assert told.stages[1].seconds is None
    assert told.sources[0].snapshot == "0/16B3748"


def test_nothing_personal_reaches_either_view(report: RunReport) -> None:
    for view in (as_html(report), as_json(report)):
        assert "x.example" not in view
        assert "+4930" not in view
        assert MASK in view or "\\u2022" in view


def test_the_commands_in_the_report_find_the_rows(
    spark: SparkSession, workspace: Workspace, report: RunReport
) -> None:
    import shlex

    for group in report.breaks:
        key = {"level": group.level, "name": group.name, "column": group.column, "kind": group.kind}
        where = shlex.split(_show(RUN, "breaks", **key))[-1]
        assert workspace.lake.read(spark, "breaks").where(where).count() == group.count
