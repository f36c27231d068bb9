"""A small run that is reconciled and ready to be reported: personal data, breaks, exceptions."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event, Outcome, latest, personal, total
from cutline.lake.lake import Lake
from cutline.lake.written import TableWritten
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import (
    ExtractResult,
    MergeResult,
    ProjectResult,
    ReconcileResult,
    TranslateResult,
)
from cutline.tables import (
    BREAKS,
    CLUSTERS,
    DISPOSITIONS,
    EXCEPTIONS,
    EXCUSES,
    FINDINGS,
    TIMELINE,
    Column,
    Table,
)
from cutline.translator import SourceContract, Translation, Translator, column, table
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.history.histories import write_histories
from cutline_reconciliation.history.identity import with_break_id

RUN = "shop-north-1"


class Joined(Event):
    """A customer joined."""

    iban: Annotated[str, personal]
    income: Annotated[int, personal, Field(ge=0)]


class Met(Event):
    """A customer was met."""


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


ORDER = Aggregate(
    name="order",
    doc="One order.",
    events=(Joined,),
    state={"account": latest("iban", Joined), "income": total("income", [Joined])},
)
CUSTOMER = Aggregate(name="customer", doc="One customer.", events=(Met,), state={})
DUE = Outcome("money_due", "How much is due?", "select 1", unit="EUR", aggregate="order")
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
        {
            "name": "exceptions:odd", "passed": True, "sentence": "8 events",
            "exception_level": "event",
        },
        {
            "name": "exceptions:odd", "passed": True, "sentence": "7 rows",
            "exception_level": "source-row",
        },
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
                "only_new": 0, "duplicated": 0, "not_eligible": 3, "explained": 0, "rate": 0.1,
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


CLUSTERED = [
    {
        "cluster": "c0ffee", "by_count": 1, "by_money": 2, "level": "state", "name": "order",
        "kind": "different", "column": "cents", "columns": "cents", "pattern": "0 → more than 0",
        "rule": "orders.placed", "disposition": "translated", "count": 8, "subjects": 8,
        "amount": Decimal(46), "money": Decimal(46), "cause": "erp.orders.channel = WEB",
        "with_cause": 8, "matched_with_cause": 1, "matched": 81, "risk_ratio": Decimal("143.1"),
        "why": "All 8 came through the web.", "sentence": "8 breaks of order.cents.",
        "fed_by": ["dead"], "settled": 8,
    },
    {
        "cluster": "dead", "by_count": 2, "level": "record", "name": "customer", "kind": "missing",
        "pattern": "only the legacy has it", "count": 1, "subjects": 1, "matched": 81,
        "why": "", "sentence": "1 subject of customer.",
    },
    *(
        {
            "cluster": f"c{n}", "by_count": n, "level": "state", "name": "order",
            "kind": "different", "pattern": "another value", "count": 1, "subjects": 1,
            "matched": 81, "by_money": 1 if n == 25 else None, "why": "",
            "sentence": "1 break.",
        }
        for n in range(3, 26)
    ),
]  # fmt: skip


EXCUSED = [
    *(
        {
            "level": "record", "name": "order", "aggregate": "order", "subject": f"SO-{n}",
            "class": "explained", "reason": "odd", "rests_on": "source-row", "source": "erp",
            "table": "orders", "key": f'["SO-{n}"]', "position": "0",
        }
        for n in range(1, 8)
    ),
    {
        "level": "record", "name": "customer", "aggregate": "customer", "subject": "bob@x.example",
        "class": "explained", "reason": "unread", "rests_on": "source-row", "source": "crm",
        "table": "customers", "key": '["bob@x.example"]', "whole": "ada@x.example",
    },
    *(
        {
            "level": "outcome", "name": "money_due", "aggregate": "order", "subject": f"SO-{n}",
            "class": "not-eligible", "reason": f"reason {n}", "rests_on": "truth",
        }
        for n in range(30)
    ),
]  # fmt: skip


def reported(spark: SparkSession, folder: Path, facts: Mapping[str, Any] = FACTS) -> Workspace:
    """A run in a folder, reconciled and ready to be reported."""
    lake = Lake(str(folder / "lake/shop/north" / RUN))
    breaks = [
        {
            "level": "state", "name": "order", "subject": f"SO-{n}", "kind": "different",
            "cluster": "c0ffee", "source": "erp", "table": "orders", "key": f'["SO-{n}"]',
            "column": "cents", "legacy": "0", "new": "5" if n < 6 else str(n),
            "amount": Decimal(5 if n < 6 else n),
        }
        for n in range(1, 9)
    ]  # fmt: skip
    breaks += [
        {
            "level": "record", "name": "customer", "subject": "ada@x.example", "kind": "missing",
            "cluster": "dead", "source": "crm", "table": "customers", "key": '["ada@x.example"]',
        },
        {
            "level": "state", "name": "customer", "subject": "ada@x.example", "kind": "different",
            "column": "phone", "legacy": "+4930777", "new": "",
        },
        {
            "level": "state", "name": "order", "subject": "SO-1", "kind": "different",
            "column": "account", "legacy": "iban@x.example", "new": "",
        },
        {
            "level": "state", "name": "order", "subject": "SO-1", "kind": "different",
            "column": "income", "legacy": "49304930", "new": "0", "amount": Decimal(-49304930),
        },
        {
            "level": "outcome", "name": "money_due", "subject": "SO-1", "kind": "different",
            "legacy": "x" * 1000, "new": "2", "amount": Decimal("-1.5"),
        },
    ]  # fmt: skip
    break_rows = spark.createDataFrame(
        [tuple(b.get(n) for n in BREAKS.names) for b in breaks], BREAKS.ddl
    )
    lake.write(with_break_id(break_rows, "shop", "north").fillna("opened", "state"), BREAKS)
    written(spark, lake, CLUSTERS, CLUSTERED)
    written(spark, lake, EXCUSES, EXCUSED)
    rows = [exception(n, "odd", "source-row") for n in range(1, 8)]
    rows += [exception(n, "odd", "event", payload=None) for n in range(1, 9)]
    rows[7]["payload"] = '{"iban":"iban@x.example","income":49304930}'
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
    _timeline(spark, lake)
    for aggregate, subjects in (("order", ["SO-1", "SO-2"]), ("customer", ["ada@x.example"])):
        columns = (Column("subject", "string", "the subject"), Column("joined", "int", "times"))
        written(
            spark,
            lake,
            Table(f"state_{aggregate}", "one subject", columns),
            [{"subject": s, "joined": n} for n, s in enumerate(subjects)],
        )
    file = ProjectFile.model_validate(
        {
            "version": 1,
            "name": "shop",
            "topics": {"prefix": "shop"},
            "sources": {
                "erp": {"kind": "csv", "path": "erp", "tables": {"orders": {"path": "orders.csv"}}}
            },
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
        "extract": ExtractResult(
            rows_in=1000, rows_out=1000, tables=(TableWritten("changes_erp_orders", 1000, "ab"),),
            extracts={
                "erp": {
                    "extracted_at": "2026-11-01T02:00:00+00:00", "position": "ff00",
                    "snapshot": "0/16B3748", "tables": {"orders": 1000},
                }
            },
        ),
        "translate": TranslateResult(rows_in=1000, rows_out=2000, counts={"dispositions": ends}),
        "merge": MergeResult(
            rows_in=2500, rows_out=2400, tables=(TableWritten("exceptions", 17, "ee"),), counts={"verdicts": {"accepted": 2400, "held": 100}},
            candidates={"synthetic": 2000, "native": 500}, native_unreadable=4,
        ),
        "project": ProjectResult(
            rows_in=2400, rows_out=91,
            tables=(TableWritten("state_order", 2, "cc"), TableWritten("state_customer", 1, "dd")),
            counts={"subjects": {"order": 90, "customer": 1}}),
        "reconcile": ReconcileResult(rows_in=91, rows_out=13, tables=(TableWritten("breaks", 13, "bb"),), **json.loads(json.dumps(facts))),
    }  # fmt: skip
    workspace = Workspace(
        run_id=RUN,
        region="north",
        project=LoadedProject(file, folder, folder / "cutline.yaml", "north"),
        context=SHOP,
        translation=TRANSLATION,
        lake=lake,
        recorded_at=dt.datetime(2026, 11, 1, 6, 30, tzinfo=dt.UTC),
        positions={"erp": "ff00"},
        done=done,
        seconds={"extract": 2.0},
    )
    exceptions = lake.read(spark, EXCEPTIONS)
    rules = sorted({row["rule"] for row in exceptions.select("rule").collect()})
    histories = write_histories(workspace, exceptions, rules, RunBefore())
    found_out = done["reconcile"]
    stored_facts = dict(found_out.stored()["facts"]) | {
        "memory": histories.result.model_dump(mode="json", by_alias=True),
        "waivers": [],
    }
    done["reconcile"] = ReconcileResult.model_validate(
        {**dict(found_out), **json.loads(json.dumps(stored_facts))}
    )
    return workspace


def _timeline(spark: SparkSession, lake: Lake) -> None:
    """SO-1 has three events, the second of them native; ada@x.example has one."""
    written(
        spark,
        lake,
        TIMELINE,
        [
            {
                "id": f"id-{subject}-{n}", "source": "urn:cutline:shop:erp",
                "type": "Met" if aggregate == "customer" else "Joined",
                "subject": subject, "datacontenttype": "application/json",
                "partitionkey": subject, "migorigin": origin, "migreplaysafe": False,
                "migconfidence": "exact", "migtimebasis": "effective", "aggregate": aggregate,
                "data": "{}", "ordinal": n,
                "recordedtime": dt.datetime(2026, 11, 1, 6, 30, tzinfo=dt.UTC),
            }
            for aggregate, subject, n, origin in (
                ("order", "SO-1", 3, "synthetic"),
                ("order", "SO-1", 1, "synthetic"),
                ("order", "SO-1", 2, "native"),
                ("customer", "ada@x.example", 1, "synthetic"),
            )
        ],
    )  # fmt: skip
