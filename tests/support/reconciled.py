"""A small slice, projected and ready to be reconciled, for the tests of the last judgement."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark.sql.types as T
from pyspark.sql import Row, SparkSession

from cutline.context import Aggregate, Context, Event, Outcome, latest, part_of, state_name
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import (
    EXTRACT,
    MERGE,
    TRANSLATE,
    ExtractResult,
    MergeResult,
    StageResult,
    TranslateResult,
)
from cutline.tables import DISPOSITIONS, EXCEPTIONS, REFUSED, TIMELINE, Column, Table
from cutline.tables.change import changes
from cutline.translator import (
    SourceContract,
    Translation,
    Translator,
    Truth,
    column,
    ignore,
    table,
)
from cutline.workspace import RunBefore, Workspace
from cutline_reconciliation.reconcile import run_reconcile


class Ordered(Event):
    """An order came."""


class Lined(Event):
    """A line came."""


class Sold(Event):
    """An order came, through a channel."""

    status: str


class Added(Event):
    """A line was added to an order."""

    order_no: str


class Orders(SourceContract):
    """One order."""

    no: T.StringType = column(doc="its number", nullable=False)
    status: T.StringType = column(doc="its status")

    class Config:
        metadata = table("erp", "orders", key=["no"])


def _reading(context: Context) -> type[Translator]:
    """Who reads the orders, and leaves out those that monitoring writes."""
    of_slice = context

    class ReadOrders(Translator):
        context, aggregate, version = of_slice, "order", "1.0.0"
        source, subject = Orders, "no"

        @ignore("monitoring")
        def test_order(self, row):  # type: ignore[no-untyped-def]
            return row.status == "test"

    return ReadOrders


ORDER = Aggregate(name="order", doc="One order.", events=(Ordered,), state={})
BY_STATUS = Aggregate(
    name="order",
    doc="One order.",
    events=(Sold,),
    state={"status": latest("status", Sold)},
    categories=("status",),
)
LINE = Aggregate(name="line", doc="One line of an order.", events=(Lined,), state={})
PART = Aggregate(
    name="line",
    doc="One line, which is a part of its order.",
    events=(Added,),
    state={"order_no": latest("order_no", Added)},
    part_of=part_of("order", by="order_no"),
)
ORDERS = "subject string, status string, cents bigint, paid decimal(12,2)"
LINES = "subject string, sku string, needs array<struct<quantity:bigint,sku:string>>"
ORDER_TRUTH = "SELECT no AS subject, status, cents, paid FROM erp.orders WHERE region = :region"
LINE_TRUTH = """
SELECT no || '/' || line AS subject, sku,
  json_array(json_object('sku', sku, 'quantity', quantity)) AS needs
FROM erp.lines
"""
OPEN = Outcome(
    name="open_orders",
    question="Which orders are open?",
    aggregate="order",
    decide="SELECT subject, status AS value FROM state_order WHERE status = 'open'",
)
OPEN_TRUTH = "SELECT no AS subject, status AS value FROM erp.orders WHERE status = 'open'"
NO_GATES: Mapping[str, Any] = {}


@dataclass
class Slice:
    """Legacy databases and projected states in a folder; `reconcile` performs the stage."""

    spark: SparkSession
    folder: Path
    sources: dict[str, Any] = field(default_factory=dict)
    exceptions: list[tuple[str, str, str | None, str | None]] = field(default_factory=list)
    dispositions: list[dict[str, Any]] = field(default_factory=list)
    aggregates: tuple[Aggregate, ...] = (ORDER, LINE)
    events: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    reads: bool = False
    """Whether somebody translates the orders, and leaves out those that monitoring writes."""
    cuts: dict[str, Any] = field(default_factory=dict)
    """The cut lines of sources that have their own."""

    def __post_init__(self) -> None:
        self.lake = Lake(str(self.folder / "lake/shop/north/run-1"))
        self.state("order", ORDERS, [])
        self.state("line", LINES, [])

    def legacy(self, *statements: str, rows: Mapping[str, Iterable[Sequence[Any]]]) -> None:
        """Make the source `erp`: tables by DDL, then rows by table."""
        path = self.folder / "erp.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as db:
            for statement in statements:
                db.execute(statement)
            for table, table_rows in rows.items():
                for row in table_rows:
                    db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
            db.commit()
        self.sources["erp"] = {"kind": "sqlite", "path": "erp.db", "tables": {"orders": {}}}

    def orders(self, *rows: Sequence[Any]) -> None:
        """Legacy orders: no, status, cents, paid; all of region `north`."""
        self.legacy(
            "CREATE TABLE orders(no TEXT, status TEXT, cents, paid, region TEXT)",
            "CREATE TABLE lines(no TEXT, line, sku TEXT, quantity)",
            rows={"orders": [(*row, "north") for row in rows]},
        )

    def state(self, aggregate: str, ddl: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write `state_<aggregate>`."""
        frame = self.spark.createDataFrame([tuple(r) for r in rows], ddl)
        columns = tuple(Column(f.name, f.dataType.simpleString(), "") for f in frame.schema)
        self.lake.write(frame, Table(state_name(aggregate), "one subject", columns))

    def exception(
        self, rule: str, subject: str | None, aggregate: str | None, level: str = "source-row"
    ) -> None:
        """One more row of `exceptions`."""
        self.exceptions.append((rule, level, aggregate, subject))

    def row(self, subject: str, rule: str, **more: Any) -> None:
        """One more row of `dispositions`: of an order, before the cut, that is no operation."""
        defaults = {"aggregate": "order", "disposition": "no-op", "side": "before"}
        self.dispositions.append({"subject": subject, "rule": rule, **defaults, **more})

    def reconcile(
        self,
        aggregates: Mapping[str, str],
        outcomes: Mapping[str, str] | None = None,
        *,
        declared: tuple[Outcome, ...] = (),
        gates: Mapping[str, Any] = NO_GATES,
        section: Mapping[str, Any] = NO_GATES,
        lost: int = 0,
        run_id: str = "run-1",
        before: RunBefore | None = None,
    ) -> Reconciled:
        """Perform the stage; `lost` source rows have no disposition, and `before` was a run.

        Of `aggregates`, which give truth, and those of outcomes the context consists: one that
        nobody compares is never GO.
        """
        ddl = ", ".join(f"`{c.name}` {c.type}" for c in EXCEPTIONS.columns)
        place = {"rule": 0, "level": 1, "aggregate": 2, "subject": 3}
        rows = [
            tuple(
                e[place[c.name]] if c.name in place else None if c.type != "string" else "told"
                for c in EXCEPTIONS.columns
            )
            for e in self.exceptions
        ]
        self.lake.write(self.spark.createDataFrame(rows, ddl), EXCEPTIONS)
        written = [tuple(d.get(c) for c in DISPOSITIONS.names) for d in self.dispositions]
        frame = self.spark.createDataFrame(written, DISPOSITIONS.ddl)
        self.lake.write(frame, DISPOSITIONS)
        named = {*aggregates, *(outcome.aggregate for outcome in declared)}
        parts = (a.part_of for a in self.aggregates if a.name in named)
        named |= {part.aggregate for part in parts if part is not None}
        compared = tuple(a for a in self.aggregates if a.name in named)
        context = Context("shop", "A shop.", compared or self.aggregates, declared)
        truth = Truth(aggregates, outcomes or {})
        workspace = Workspace(
            run_id=run_id,
            region="north",
            project=self.project(gates, section),
            context=context,
            translation=Translation("shop", "1.0.0", context, self._translators(context), truth),
            lake=self.lake,
            recorded_at=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
            positions={},
            before=lambda: before or RunBefore(),
            done={
                EXTRACT: ExtractResult(rows_in=1000, rows_out=1000),
                TRANSLATE: TranslateResult(
                    rows_in=1000, rows_out=0, counts={"dispositions": {"no-op": 1000 - lost}}
                ),
                MERGE: MergeResult(
                    rows_in=2000, rows_out=0, counts={"verdicts": {"accepted": 2000}}
                ),
            },
        )
        return Reconciled(run_reconcile(workspace), self)

    def _translators(self, context: Context) -> tuple[type[Translator], ...]:
        if not self.reads:
            return ()
        rows = {TIMELINE: self.events, REFUSED: self.refused}
        for lake_table in (changes(Orders.source(), Orders.table(), Orders.ddl()), *rows):
            values = [
                tuple(row.get(c) for c in lake_table.names) for row in rows.get(lake_table, ())
            ]
            self.lake.write(self.spark.createDataFrame(values, lake_table.ddl), lake_table)
        return (_reading(context),)

    def project(
        self, gates: Mapping[str, Any] = NO_GATES, section: Mapping[str, Any] = NO_GATES
    ) -> LoadedProject:
        """The project of the slice."""
        file = ProjectFile.model_validate(
            {
                "version": 1,
                "name": "shop",
                "topics": {"prefix": "shop"},
                "sources": self.sources,
                "contexts": {
                    "shop": {
                        "translation": {"use": "shop", "major": 1},
                        "cut": {"policy": "commit-timestamp", "at": "2026-11-01T00:00:00Z"},
                        "cuts": self.cuts,
                        "gates": gates,
                        "reconcile": section,
                    }
                },
                "regions": {"north": {}, "south": {}},
            }
        )
        return LoadedProject(file, self.folder, self.folder / "cutline.yaml", "north")


@dataclass(frozen=True)
class Reconciled:
    """What the stage returned and wrote."""

    result: StageResult
    slice: Slice

    def breaks(self) -> set[tuple[Any, ...]]:
        """level, name, subject, kind, column, legacy, new."""
        return {tuple(row)[:7] for row in self.rows("breaks")}

    def outcomes(self) -> set[tuple[Any, ...]]:
        """subject, class, legacy, new, reason."""
        columns = ("subject", "class", "legacy", "new", "reason")
        return {tuple(row[c] for c in columns) for row in self.rows("outcomes")}

    def rows(self, table: str) -> list[Row]:
        """A table as it was written."""
        return self.slice.lake.read(self.slice.spark, table).collect()

    def level(self, level: str, name: str) -> dict[str, Any]:
        """One level's facts of one aggregate or outcome."""
        return next(f for f in self.result.stored()["facts"]["levels"][level] if f["name"] == name)
