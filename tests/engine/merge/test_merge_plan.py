"""What Spark is asked to do: one exchange for the merge, one for a state, and no Python."""

from __future__ import annotations

import dataclasses
import datetime as dt

from pyspark.sql import DataFrame, SparkSession

from cutline.context import (
    Aggregate,
    LateArrivals,
    MergePolicy,
    NativeCollision,
    Supersede,
    lines,
    total,
)
from cutline.engine.merge import split_by_verdict, with_verdicts
from cutline.engine.project import accepted_facts, ended_subjects, project
from cutline.tables import TIMELINE
from support.merge.candidates import at, frame
from support.shop import ORDER, SHOP, STOCK, Cancelled, Reserved


def nodes(frame: DataFrame) -> list[str]:
    """The names of the physical plan's nodes, outermost first."""
    plan = frame._jdf.queryExecution().executedPlan().toString()
    bare = (line.lstrip(" :+-*|").lstrip("(0123456789) ") for line in plan.splitlines())
    return [line.split(" ")[0] for line in bare if line]


def count_operators(frame: DataFrame) -> tuple[int, int, int]:
    """How often rows are exchanged, sorted, and looked at by a window."""
    node_names = nodes(frame)
    assert not [n for n in node_names if "Python" in n or "InArrow" in n or "InPandas" in n]
    return node_names.count("Exchange"), node_names.count("Sort"), node_names.count("Window")


def test_the_merge_exchanges_once_and_sorts_by_id_by_fact_and_by_place(
    spark: SparkSession,
) -> None:
    rows = frame(spark, [])
    # The shop's order has laws of two depths: what is held at the first is looked at once more.
    once = MergePolicy(supersede=Supersede(enabled=False))
    assert count_operators(with_verdicts(rows, SHOP, once)) == (1, 3, 6)
    assert count_operators(split_by_verdict(with_verdicts(rows, SHOP, once))) == (1, 3, 6)
    lawless = dataclasses.replace(SHOP, aggregates=(dataclasses.replace(ORDER, order=()), STOCK))
    assert count_operators(with_verdicts(rows, lawless, once)) == (1, 3, 5)


def test_what_is_asked_for_more_costs_a_sort_each(spark: SparkSession) -> None:
    rows = frame(spark, [])
    assert count_operators(with_verdicts(rows, SHOP, MergePolicy())) == (1, 4, 7)
    everything = MergePolicy(
        native_collision=NativeCollision(enabled=True, within=dt.timedelta(seconds=1)),
        late_arrivals=LateArrivals(before=at(0)),
    )
    assert count_operators(with_verdicts(rows, SHOP, everything)) == (1, 6, 9)


def test_a_state_is_one_exchange_and_facts_are_none(spark: SparkSession) -> None:
    timeline = spark.createDataFrame([], TIMELINE.ddl)
    assert count_operators(project(timeline, STOCK))[0] == 1
    ending = dataclasses.replace(ORDER, ended_by=(Cancelled,))
    assert count_operators(project(timeline, ending))[0] == 1
    assert count_operators(ended_subjects(timeline, ending))[0] == 1
    assert count_operators(accepted_facts(timeline, ORDER)) == (0, 0, 0)


def test_each_table_of_lines_is_one_exchange_more(spark: SparkSession) -> None:
    nested = Aggregate(
        name="stock",
        doc="",
        events=(Reserved,),
        state={
            "quantity": total("quantity", [Reserved]),
            "skus": lines("sku", {"quantity": total("quantity", [Reserved])}),
        },
    )
    assert count_operators(project(spark.createDataFrame([], TIMELINE.ddl), nested))[0] == 2
