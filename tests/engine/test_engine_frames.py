"""Steps say which columns they need and add; while other tests run, that is compared with what they do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.announce import Lineage, candidate_events
from cutline.engine.frames import Frame, FrameColumn, StepContract, observed, step
from cutline.engine.merge import split_by_verdict, with_verdicts
from cutline.engine.project import ended_subjects, project
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import Inputs, translate_changes
from cutline.translator import Translator
from support.changes import EXTRACTED, change, changes_table, position, snapshot
from support.desk import OldCase, OldPaper, PaperCases, case, paper, renamed
from support.frames import check_step, resolved
from support.late_orders import ItemRow, LineRow, NoteRow, OrderRow, OrdersOfItems
from support.shop import OldOrder, Orders, order

A = FrameColumn("a", "int", "a number")
B = FrameColumn("b", "string", "a text", False)


def test_a_step_that_is_not_watched_is_the_function_itself(spark: SparkSession) -> None:
    @step(needs=Frame("one number", (A,)), adds=(B,))
    def with_text(rows: DataFrame) -> DataFrame:
        return rows.withColumn("b", F.lit("text"))

    assert with_text.__name__ == "with_text"
    assert with_text(spark.createDataFrame([(1,)], "a int")).columns == ["a", "b"]


@pytest.mark.parametrize(
    ("given_ddl", "result", "departure"),
    [
        ("a bigint", "a bigint, b string", "needs"),
        ("b int", "b int, a string", "needs"),
        ("a int", "a int", "adds and drops other"),
        ("a int", "a int, b int", "adds and drops other"),
        ("a int", "a int, b string, c int", "adds and drops other"),
        ("a int, c int", "a int, b string", "adds and drops other"),
        ("a int, c int", "a int, b string, c string", "adds and drops other"),
    ],
)
def test_what_departs_from_a_contract_is_named(
    spark: SparkSession, given_ddl: str, result: str, departure: str
) -> None:
    contract = StepContract("a step", Frame("one number", (A,)), None, (B,), ())
    rows = spark.createDataFrame([], given_ddl)
    with pytest.raises(AssertionError, match=f"a step {departure}"):
        check_step(contract, {"rows": rows}, spark.createDataFrame([], result))


def worlds(spark: SparkSession) -> list[tuple[type[Translator], Inputs]]:
    """Rows that come early, late, twice or broken, under other keys, and beside what they look up."""
    orders = [
        snapshot(order("o1")),
        snapshot(order("o2", "R")),
        change("u", 10, before=order("o1"), after=order("o1", "R")),
        change("u", 11, after=order("o3", "R")) | {"defects": ["wrong-type:x"]},
        change("c", 12, after=order("o4")),
        change("d", 13, before=order("o4"), after=None, key=["o4"]),
    ]
    lines = [
        change("c", 10, after={"line_no": 1, "order_no": 1, "item": "ink"}),
        change("c", 14, after={"line_no": 2, "order_no": 2, "item": "pen"}),
    ]
    cases = [
        snapshot(case("a")),
        change("u", 20, after=case("a", "C", None)) | {"unknown": ["note"]},
        renamed(30, case("a"), case("b")),
        change("u", 40, after=case("stranger", "C", None)) | {"unknown": ["note"]},
    ]
    features = ChangeFeatures(partial=True, renames=True)
    start = position(5)
    buyers = [change("c", 12, after={"no": 1, "buyer": "ann"})]
    late = {
        LineRow: changes_table(spark, LineRow, lines, consistent_point=start),
        OrderRow: changes_table(spark, OrderRow, buyers, consistent_point=start),
        NoteRow: changes_table(spark, NoteRow, []),
        ItemRow: changes_table(spark, ItemRow, [snapshot({"item": "ink"})]),
    }
    desk = {
        OldCase: changes_table(spark, OldCase, cases, consistent_point=start, features=features),
        OldPaper: changes_table(spark, OldPaper, [snapshot(paper(1, "a"))]),
    }
    return [
        (Orders, {OldOrder: changes_table(spark, OldOrder, orders)}),
        (Orders, {OldOrder: changes_table(spark, OldOrder, orders, consistent_point=start)}),
        (OrdersOfItems, late),
        (PaperCases, desk),
    ]


@pytest.mark.soak
def test_columns_that_are_never_null_are_never_null(spark: SparkSession) -> None:
    required: list[tuple[str, DataFrame, list[FrameColumn]]] = []

    def observe(contract: StepContract, arguments: Mapping[str, Any], result: DataFrame) -> None:
        returns = resolved(contract.returns, arguments)
        columns = returns.columns if returns else resolved(contract.adds, arguments)
        never_null = [column for column in columns if not column.nullable]
        if never_null:
            required.append((contract.step, result, never_null))

    with observed(observe):
        for translator, inputs in worlds(spark):
            lineage = Lineage("shop", "eu", "run-1", F.lit(EXTRACTED))
            events = candidate_events(translate_changes(translator, inputs), lineage)
        merged = with_verdicts(events, translator.context)
        accepted = split_by_verdict(merged).where("is_accepted")
        for aggregate in translator.context.aggregates:
            project(accepted, aggregate)
            ended_subjects(accepted, aggregate)
    required = list({(name, len(cs)): (name, frame, cs) for name, frame, cs in required}.values())
    assert len({name for name, _, _ in required}) > 20
    nulls = [
        frame.select(
            F.lit(name).alias("step"),
            F.array_compact(
                F.array(
                    *(F.when(F.count_if(F.col(f"`{c}`").isNull()) > 0, F.lit(str(c))) for c in cs)
                )
            ).alias("columns"),
        )
        for name, frame, cs in required
    ]
    rows = reduce(DataFrame.unionByName, nulls).where(F.size("columns") > 0).collect()
    assert {(row["step"], *row["columns"]) for row in rows} == set()
