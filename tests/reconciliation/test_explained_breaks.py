"""Breaks explained on a small shop: the row behind each, what made its value, clusters with causes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyspark.sql.types as T
import pytest
from pydantic import TypeAdapter
from pyspark.sql import Row, SparkSession

from cutline.context import Aggregate, Context, Event, Outcome, latest, part_of
from cutline.lake.lake import Lake
from cutline.masking import Masking
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import EXTRACT, ExtractResult
from cutline.results.reconcile import ClusterResult
from cutline.spark.no_rows import no_rows
from cutline.tables import (
    BREAKS,
    CLUSTERS,
    DISPOSITIONS,
    EXCEPTIONS,
    OUTCOMES,
    REFUSED,
    TIMELINE,
    Column,
    Table,
)
from cutline.tables.change import changes
from cutline.translator import SourceContract, Translation, column, table
from cutline.workspace import Workspace
from cutline_reconciliation.explain.explain import ExplainedBreaks, explain
from cutline_reconciliation.explain.images import shown_columns
from support.reported import written
from support.sample_project import document
from support.shop import SHOP, OldLine, OldOrder, OldPiece, Orders, Placed, Released
from support.shop import Lines as OrderLines

WEB, STORE = [f"W{i}" for i in range(10)], [f"S{i}" for i in range(40)]
PROMISED = ("S10", "S11", "S12")
EARLY = dt.datetime(2019, 5, 1, tzinfo=dt.UTC)
OPEN = Outcome(
    "open",
    "Which orders are open?",
    "SELECT subject, status AS value FROM state_order",
    aggregate="order",
)


def disposition(no: str, end: str, rule: str, **more: Any) -> dict[str, Any]:
    row = {"source": "old", "table": "orders", "key": f'["{no}"]', "op": "r", "position": "0"}
    row |= {"subject": no, "aggregate": "order", "disposition": end, "rule": rule}
    return row | {"checks": [], "events": 1} | more


def event(no: str, kind: str, ordinal: int, **more: Any) -> dict[str, Any]:
    row = {"id": f"{no}{kind}{ordinal}", "source": "urn:x", "type": kind, "subject": no}
    row |= {"datacontenttype": "application/json", "partitionkey": no, "migorigin": "synthetic"}
    row |= {"migreplaysafe": False, "migconfidence": "exact", "migtimebasis": "effective"}
    row |= {"migsrcsystem": "old", "migsrctable": "orders", "migsrckey": f'["{no}"]'}
    row |= {"migsrcpos": str(ordinal), "migtranslator": "orders", "migtranslatorver": "1.0.0"}
    row |= {"aggregate": "order", "side": "before", "data": "{}", "ordinal": ordinal}
    return row | {"rule": "accepted", "findings": [], "verdict": "held", "reason": "told"} | more


def a_break(level: str, name: str, subject: str, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "level": level,
        "name": name,
        "aggregate": "order",
        "subject": subject,
        "kind": kind,
    } | more


PLACED, RELEASED = Placed.event_type(), Released.event_type()


class Added(Event):
    """A line was added to an order."""

    order: str


ORDER_LINE = Aggregate(
    "line",
    "One line of an order.",
    (Added,),
    {"order": latest("order", Added)},
    part_of=part_of("order", by="order"),
)
LINE = {"table": "lines", "aggregate": "line"}
ROWS = [
    *(disposition(no, "translated", "facts") for no in (*WEB, *STORE)),
    disposition("lost", "no-op", "test-order", position="1"),
    disposition("lost", "quarantined", "unreadable-status", position="0"),
    disposition("lost", "translated", "facts", position="2"),
    disposition("refused", "translated", "facts"),
    *(disposition(f"{no}/A", "translated", "facts", **LINE) for no in (*PROMISED, "S0")),
    # Stock is numbered like orders: what became of it is no order's.
    *(disposition(no, "quarantined", "another's", aggregate="stock") for no in ("W0", "unknown")),
]
EVENTS = [
    *(event(no, PLACED, 1) for no in (*WEB, *STORE, "new")),
    *(event(no, RELEASED, 2) for no in WEB),
    # A live producer's word is the last on W9.
    event("W9", RELEASED, 3, migorigin="native", migtranslator=None, migsrcsystem=None,
          migsrctable=None, migsrckey=None, migsrcpos=None),
]  # fmt: skip
REFUSED_EVENTS = [event("refused", RELEASED, 1, rule="released-first")]
BREAK_ROWS = [
    *(a_break("state", "order", no, "different", column="status", legacy="released",
              new="shipped") for no in WEB),
    a_break("state", "order", "W0", "different", column="cents", legacy="100", new="10000",
            amount=Decimal(9900)),
    a_break("state", "order", "S0", "different", column="cents", legacy="100", new="10000",
            amount=Decimal(9900)),
    a_break("record", "order", "lost", "missing"),
    a_break("record", "order", "refused", "missing"),
    a_break("record", "order", "unknown", "missing"),
    a_break("record", "order", "new", "unexpected"),
    *(a_break("outcome", "open", no, "different", column="value", legacy="no", new="yes")
      for no in PROMISED),
]  # fmt: skip


def orders() -> Iterable[tuple[Any, ...]]:
    for no in (*WEB, *STORE):
        # A store sells through the web as well: one in forty.
        channel = "web" if no in WEB or no == "S7" else "store"
        yield (no, "R" if no in WEB else "N", len(no) * 7 + int(no[1:]), channel, EARLY, None)


def extracted(spark: SparkSession, lake: Lake, contract: type[SourceContract], rows: Any) -> None:
    changes_table = changes(contract.source(), contract.table(), contract.ddl())
    change_rows = [
        {"source": contract.source(), "table": contract.table(), "key": key, "op": "r",
         "after": row, "position": "0", "extract_time": EARLY, "defects": []}
        for key, row in rows
    ]  # fmt: skip
    written(spark, lake, changes_table, change_rows)


@pytest.fixture(scope="module")
def explained(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ExplainedBreaks, Lake]:
    folder = tmp_path_factory.mktemp("explained")
    lake = Lake(str(folder / "lake"))
    written(spark, lake, DISPOSITIONS, ROWS)
    written(spark, lake, TIMELINE, EVENTS)
    written(spark, lake, REFUSED, REFUSED_EVENTS)
    written(spark, lake, BREAKS, BREAK_ROWS)
    decided = [
        *((no, "differ") for no in PROMISED),
        *((no, "agree") for no in STORE if no not in PROMISED),
    ]
    written(spark, lake, OUTCOMES, [{"outcome": "open", "aggregate": "order", "subject": s, "class": c}
                                    for s, c in decided])  # fmt: skip
    state_table = Table("state_order", "one", (Column("subject", "string", ""),))
    for side in (state_table, Table("truth_order", "one", state_table.columns)):
        written(spark, lake, side, [{"subject": no} for no in (*WEB, *STORE)])
    of_lines = Table("state_line", "one", (*state_table.columns, Column("order", "string", "")))
    written(spark, lake, of_lines, [{"subject": f"{no}/A", "order": no}
                                    for no in (*PROMISED, "S0")])  # fmt: skip
    written(spark, lake, Table("state_stock", "one", state_table.columns), [])
    extracted(spark, lake, OldOrder, [(f'["{row[0]}"]', row) for row in orders()])
    lines = [*((no, "A") for no in PROMISED), ("S0", "B")]
    extracted(spark, lake, OldLine, [(f'["{no}/A"]', (no, sku, 1, True)) for no, sku in lines])
    extracted(spark, lake, OldPiece, [])
    context = Context(SHOP.name, SHOP.doc, (*SHOP.aggregates, ORDER_LINE), (OPEN,))
    translation = Translation("shop", "1.0.0", SHOP, (Orders, OrderLines))
    workspace = Workspace(
        run_id="run-1",
        region="north",
        project=LoadedProject(
            ProjectFile.model_validate(document()), folder, folder / "c.yaml", "north"
        ),
        context=context,
        translation=translation,
        lake=lake,
        recorded_at=EARLY,
        positions={},
        done={EXTRACT: ExtractResult(rows_in=0, rows_out=0)},
    )
    # What rules forgive in S1 is a match all the same.
    classes = [*((no, "changed") for no in (*WEB, "S0")), ("S1", "within_tolerance")]
    differing = spark.createDataFrame(
        [("order", no, found) for no, found in classes], "name string, subject string, class string"
    )
    none = no_rows(spark, EXCEPTIONS.ddl)
    return explain(workspace, lake.read(spark, BREAKS), differing, none), lake


@pytest.fixture(scope="module")
def breaks(explained: tuple[ExplainedBreaks, Lake]) -> list[Row]:
    return explained[0].breaks.collect()


@pytest.fixture(scope="module")
def clusters(explained: tuple[ExplainedBreaks, Lake], spark: SparkSession) -> list[Row]:
    return explained[1].read(spark, CLUSTERS).orderBy("by_count").collect()


def lineage(breaks: list[Row]) -> Mapping[Any, Any]:
    return {
        (r.level, r.subject, r.column): (r.table, r.key, r.position, r.disposition, r.rule)
        for r in breaks
    }


def test_the_row_and_the_rule_behind_each_break(breaks: list[Row]) -> None:
    lineages = lineage(breaks)
    assert len(lineages) == len(breaks) == len(BREAK_ROWS)
    # The column listens to both events: the last one has the say.
    assert lineages[("state", "W0", "status")] == (
        "orders", '["W0"]', "2", "translated", "orders.released",
    )  # fmt: skip
    # Only `placed` gives the amount.
    assert lineages[("state", "W0", "cents")] == (
        "orders", '["W0"]', "1", "translated", "orders.placed",
    )  # fmt: skip
    assert lineages[("state", "W9", "status")] == (None, None, None, None, f"native:{RELEASED}")
    # Of three rows the one that waits for a person; then the event that was not let in.
    assert lineages[("record", "lost", None)] == (
        "orders", '["lost"]', "0", "quarantined", "unreadable-status",
    )  # fmt: skip
    assert lineages[("record", "refused", None)][3:] == ("translated", "released-first")
    assert lineages[("record", "unknown", None)] == (None,) * 5
    assert lineages[("record", "new", None)] == (
        "orders", '["new"]', "1", "translated", "orders.placed",
    )  # fmt: skip
    assert lineages[("outcome", "S10", "value")][3:] == ("translated", "orders.placed")


def test_every_break_is_in_one_cluster_and_the_books_balance(
    explained: tuple[ExplainedBreaks, Lake], breaks: list[Row], clusters: list[Row]
) -> None:
    of = {c.cluster: [b for b in breaks if b.cluster == c.cluster] for c in clusters}
    assert sum(c["count"] for c in clusters) == len(breaks) == len(BREAK_ROWS)
    assert all(len(of[c.cluster]) == c["count"] for c in clusters)
    assert explained[0].counts == {c.cluster: c["count"] for c in clusters}
    assert [c.by_count for c in clusters] == list(range(1, len(clusters) + 1))
    assert [c["count"] for c in clusters] == sorted((c["count"] for c in clusters), reverse=True)


def test_the_first_cluster_has_its_true_cause(clusters: list[Row]) -> None:
    first = clusters[0]
    assert (first.level, first.name, first.column, first.pattern, first.rule) == (
        "state", "order", "status", "released → shipped", "orders.released",
    )  # fmt: skip
    assert (first["count"], first.subjects, first.matched) == (8, 8, 39)
    assert first.cause == "old.orders.status = R"
    assert (first.with_cause, first.matched_with_cause) == (8, 0)
    # (8/8) / (0.5/39.5)
    assert first.risk_ratio == Decimal("79.000000")
    assert first.sentence == (
        "8 breaks of order.status: released → shipped. All of the 8 subjects have "
        "old.orders.status = R; of the 39 that match, none does."
    )


def test_what_a_line_has_is_the_orders_as_well(clusters: list[Row]) -> None:
    (outcome,) = (c for c in clusters if c.level == "outcome")
    assert (outcome.pattern, outcome["count"], outcome.matched) == ("no → yes", 3, 37)
    assert (outcome.cause, outcome.with_cause) == ("old.lines.quantity = 1", 3)
    assert (outcome.fed_by, outcome.settled) == (None, None)


def test_money_is_ranked_apart(clusters: list[Row]) -> None:
    (cents,) = (c for c in clusters if c.column == "cents")
    assert (cents.by_money, cents.money, cents.amount) == (1, Decimal(19800), Decimal(19800))
    assert cents.pattern == "× 100"
    assert [c.by_money for c in clusters if c.column != "cents"] == [None] * (len(clusters) - 1)


def test_where_too_few_are_known_it_is_said(clusters: list[Row]) -> None:
    unknown = next(c for c in clusters if c.kind == "missing" and c.rule is None)
    assert unknown.sentence == (
        "1 subject of order: only the legacy has it. One subject is too few to tell what sets them "
        "apart from the 39 that match."
    )
    assert (unknown.cause, unknown.risk_ratio, unknown.with_cause) == (None, None, None)


def test_the_first_are_told_as_facts(
    explained: tuple[ExplainedBreaks, Lake], clusters: list[Row]
) -> None:
    top = explained[0].top_clusters
    assert [c.cluster for c in top] == [c.cluster for c in clusters]
    first = TypeAdapter(ClusterResult).dump_python(top[0], mode="json")
    assert first["risk_ratio"] == "79.000000"
    assert first["money"] is None


def test_nothing_broken_is_no_cluster(
    spark: SparkSession, tmp_path: Path, explained: tuple[ExplainedBreaks, Lake]
) -> None:
    lake = Lake(str(tmp_path / "lake"))
    folder = tmp_path
    workspace = Workspace(
        "run-1", "north",
        LoadedProject(ProjectFile.model_validate(document()), folder, folder / "c.yaml", "north"),
        SHOP, Translation("shop", "1.0.0", SHOP, (Orders,)), lake, EARLY, {}, {},
    )  # fmt: skip
    explanation = explain(
        workspace, no_rows(spark, BREAKS.ddl), None, no_rows(spark, EXCEPTIONS.ddl)
    )
    rows = [table.rows for table in explanation.tables]
    assert (explanation.breaks.count(), rows, explanation.counts, explanation.top_clusters) == (
        0,
        [0, 0],
        {},
        (),
    )
    assert lake.read(spark, CLUSTERS).count() == 0


def test_keys_and_personal_columns_are_no_attributes() -> None:
    class Customer(SourceContract):
        no: T.StringType = column(doc="number", nullable=False)
        plan: T.StringType = column(doc="plan")
        email: T.StringType = column(doc="address", personal=True)
        iban: T.StringType = column(doc="account")

        class Config:
            metadata = table("crm", "customers", key=["no"])

    # A payload calls its field `iban` personal: so is the column of that name.
    assert list(shown_columns(Customer, Masking(frozenset({"iban", "email"}), {}))) == ["plan"]
    assert list(shown_columns(Customer, Masking(frozenset(), {}, contracts_known=False))) == []
