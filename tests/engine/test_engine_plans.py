"""What Spark is asked to do: no Python, one exchange at most, and no event that nobody asks for."""

from __future__ import annotations

import datetime as dt

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.translate import Inputs, translate, translate_changes, worth_caching
from cutline.tables import DISPOSITIONS
from cutline.translator import Occurrence, Translator, fact
from support.changes import EXTRACTED, change, changes_table, position, snapshot
from support.deliveries import LineRow as LineOfCommits
from support.deliveries import NewOrderRow
from support.deliveries import OrderRow as OrderOfCommits
from support.deliveries import Orders as Deliveries
from support.late_orders import LineRow, NoteRow, OrderRow
from support.late_orders import Orders as LateOrders
from support.shop import SHOP, Cancelled, ComposedOrders, OldCart, OldOrder, Orders, Placed, order

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)


def events_of(rows: DataFrame) -> DataFrame:
    return candidate_events(rows, Lineage("shop", "eu", "run-1", F.lit(EXTRACTED)))


class InPython(Orders):
    """Orders, one fact of which is told in Python."""

    version = "1.0.0"

    @fact(Cancelled, per_row=True)
    def cancelled(self, row):
        return Occurrence(when=row.status == "C", time_basis="commit", data={"order": row.no})


def nodes(frame: DataFrame) -> list[str]:
    """The names of the physical plan's nodes, outermost first."""
    plan = frame._jdf.queryExecution().executedPlan().toString()
    bare = (line.lstrip(" :+-*|").lstrip("(0123456789) ") for line in plan.splitlines())
    return [line.split(" ")[0] for line in bare if line]


def python_nodes(frame: DataFrame) -> list[str]:
    return [n for n in nodes(frame) if "Python" in n or "InArrow" in n or "InPandas" in n]


def exchanges(frame: DataFrame) -> int:
    """How often rows are sent from task to task; what is sent whole to each does not count."""
    return nodes(frame).count("Exchange")


@pytest.fixture
def shown(spark: SparkSession) -> Inputs:
    return {OldOrder: changes_table(spark, OldOrder, [snapshot(order("o1"))])}


@pytest.fixture
def changing(spark: SparkSession) -> Inputs:
    rows = [snapshot(order("o1")), change("u", 10, after=order("o1", "R"))]
    cart = {"cart": "c1", "no": "o1", "channel": "web"}
    return {
        OldOrder: changes_table(spark, OldOrder, rows, consistent_point=position(5)),
        OldCart: changes_table(spark, OldCart, [snapshot(cart)]),
    }


def test_a_snapshot_of_one_table_is_one_projection(shown: Inputs) -> None:
    rows = translate_changes(Orders, shown)
    for frame in (rows, events_of(rows)):
        assert python_nodes(frame) == []
        assert exchanges(frame) == 0
    assert not worth_caching(Orders, shown)


def test_composed_changes_are_exchanged_once(changing: Inputs) -> None:
    rows = translate_changes(ComposedOrders, changing)
    for frame in (rows, events_of(rows)):
        assert python_nodes(frame) == []
        assert exchanges(frame) == 1
    assert worth_caching(ComposedOrders, changing)


def test_letting_go_of_rows_exchanges_nothing(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = {
        LineRow: changes_table(spark, LineRow, [], consistent_point=position(5)),
        OrderRow: changes_table(spark, OrderRow, [], consistent_point=position(5)),
        NoteRow: changes_table(spark, NoteRow, [], consistent_point=position(5)),
    }
    rows = translate_changes(LateOrders, inputs)
    # One for each line's own history, for an order may have several; one for all of its parts.
    for frame in (rows, events_of(rows)):
        assert exchanges(frame) == 2
    monkeypatch.setattr(translate, "release_held_rows", lambda waiting_rows: waiting_rows)
    assert exchanges(translate_changes(LateOrders, inputs)) == 2


def test_changes_of_one_table_are_exchanged_once(changing: Inputs) -> None:
    rows = translate_changes(Orders, changing)
    assert python_nodes(rows) == []
    assert exchanges(rows) == 1


def test_python_is_in_the_plan_where_a_fact_asks_for_it(shown: Inputs) -> None:
    assert python_nodes(translate_changes(InPython, shown)) == ["ArrowEvalPython"]
    assert worth_caching(InPython, shown)


def makes_events(frame: DataFrame) -> bool:
    """Whether the plan, as Spark would run it, builds a payload of Placed."""
    plans, expression_sql = [frame._jdf.queryExecution().optimizedPlan()], ""
    while plans:
        plan = plans.pop()
        expressions, children = plan.expressions(), plan.children()
        expression_sql += "".join(expressions.apply(i).sql() for i in range(expressions.size()))
        plans += [children.apply(i) for i in range(children.size())]
    return '"cents":' in expression_sql


def test_dispositions_are_told_without_making_the_events(shown: Inputs) -> None:
    rows = translate_changes(Orders, shown)
    assert makes_events(rows)
    names = (name for name in DISPOSITIONS.names if name != "events")
    assert not makes_events(rows.select(*names, "announced"))


def test_facts_of_one_type_are_named_once_and_in_their_order(spark: SparkSession) -> None:
    class Renamed(Translator):
        """Placed by one of two facts, and cancelled in between."""

        context, aggregate, version = SHOP, "order", "1.0.0"
        source, subject = OldOrder, "no"

        @fact(Placed)
        def in_shop(self, row):
            return _placed(row, row.channel == "store")

        @fact(Cancelled)
        def cancelled(self, row):
            return Occurrence(when=row.status == "C", time_basis="commit", data={"order": row.no})

        @fact(Placed)
        def elsewhere(self, row):
            return _placed(row, row.channel != "store")

    rows = [
        snapshot(order("both-ways", "C", channel="store")),
        snapshot(order("later-first", "C", channel="web")),
        snapshot(order("one", channel="web")),
    ]
    frame = translate_changes(Renamed, {OldOrder: changes_table(spark, OldOrder, rows)})
    rule_and_count_by_order = {r["subject"]: (r["rule"], r["announced"]) for r in frame.collect()}
    assert rule_and_count_by_order == {
        "both-ways": ("Placed, Cancelled", 2),
        "later-first": ("Cancelled, Placed", 2),
        "one": ("Placed", 1),
    }
    assert all(r["announced"] == len(r["events"]) for r in frame.collect())


def _placed(row, when):
    data = {"order": row.no, "cents": row.cents, "channel": row.channel}
    return Occurrence(when=when, at=row.placed_at, data=data)


def test_what_else_a_commit_did_takes_no_exchange_of_its_own(spark: SparkSession) -> None:
    open_, sent = {"no": 1, "carrier": None}, {"no": 1, "carrier": "DHL"}
    tables = {
        OrderOfCommits: [snapshot(open_), change("u", 10, before=open_, after=sent)],
        NewOrderRow: [snapshot({"order_no": 1}), change("d", 10, before={"order_no": 1})],
        LineOfCommits: [],
    }
    rows = translate_changes(
        Deliveries,
        {k: changes_table(spark, k, r, consistent_point=position(5)) for k, r in tables.items()},
    )
    assert python_nodes(rows) == []
    assert exchanges(rows) == 1
