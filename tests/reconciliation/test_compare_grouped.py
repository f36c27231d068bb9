"""Keys that are alike are counted by Spark's own counts of a plan, and by a job where these do not fit."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline_reconciliation.compare import compare
from cutline_reconciliation.compare.counts.grouping import GroupingMetrics, grouping_metrics
from cutline_reconciliation.compare.counts.settings import session_settings

WAYS = {
    "as the session has it": {},
    "planned again on the way": {"spark.sql.adaptive.enabled": "true"},
    "planned once": {"spark.sql.adaptive.enabled": "false"},
    "without Java made of the plan": {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    },
}


def by_key(rows: DataFrame) -> DataFrame:
    """Those keys that occur three times."""
    return rows.repartition("k").groupBy("k").count().where("count = 3").select("k")


@pytest.mark.parametrize("way", WAYS)
def test_rows_and_groups_of_a_plan_that_was_run(spark: SparkSession, way: str) -> None:
    with session_settings(spark, WAYS[way]):
        three = by_key(spark.range(70).selectExpr("id % 29 as k"))
        three.localCheckpoint()
        assert grouping_metrics(three) == GroupingMetrics(rows=70, groups=29)


def test_nothing_is_told_of_other_plans(spark: SparkSession) -> None:
    ungrouped = spark.range(10)
    ungrouped.localCheckpoint()
    assert grouping_metrics(ungrouped) is None
    without_exchange = spark.range(0, 10, 1, 1).groupBy("id").count()
    without_exchange.localCheckpoint()
    assert grouping_metrics(without_exchange) is None


def test_an_exchange_behind_a_grouping_is_not_its_own(spark: SparkSession) -> None:
    moved = spark.range(0, 10, 1, 1).groupBy("id").count().repartition(2, "count")
    moved.localCheckpoint()
    assert grouping_metrics(moved) is None


PLAN_METRICS = [
    None,
    GroupingMetrics(rows=0, groups=0),
    # A stage of the exchange that was run twice, and groups that were.
    GroupingMetrics(rows=28, groups=8),
    GroupingMetrics(rows=14, groups=16),
]


@pytest.mark.parametrize("metrics", PLAN_METRICS)
def test_counts_are_the_same_whatever_a_plan_tells(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, metrics: GroupingMetrics | None
) -> None:
    left = spark.sql(
        "values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (4, 'd'), (5, 'e'), (null, 'f'), (null, 'f') as t(k, v)"
    )
    right = spark.sql(
        "values (1, 'a'), (2, 'b'), (3, 'x'), (4, 'd'), (6, 'e'), (null, 'f') as t(k, v)"
    )
    measured: list[GroupingMetrics | None] = []
    totals = importlib.import_module("cutline_reconciliation.compare.counts.key_totals")

    def tell(frame: DataFrame) -> GroupingMetrics | None:
        measured.append(grouping_metrics(frame))
        return metrics

    expected = compare(left, right, ["k"])
    monkeypatch.setattr(totals, "grouping_metrics", tell)
    assert compare(left, right, ["k"]) == expected
    assert measured == [GroupingMetrics(rows=14, groups=7)]
    assert (expected.rows_left, expected.rows_right) == (8, 6)
    assert (expected.matched, expected.changed, expected.duplicate_keys_left) == (2, 1, 1)
    assert (expected.only_left, expected.only_right) == (1, 1)
    assert (expected.null_keys_left, expected.null_keys_right) == (2, 1)
    alike = left.where("k < 4")
    assert compare(alike, alike, ["k"]).matched == 3


def test_no_job_counts_keys_where_a_plan_tells_them(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is one begun for tables of which every row has its twin."""
    rows = spark.sql("values (1, 'a'), (2, 'b') as t(k, v)")
    kind = type(rows)

    def refuse(_: DataFrame) -> int:
        raise AssertionError("keys are counted by a job of their own")

    monkeypatch.setattr(kind, "count", refuse)
    assert compare(rows, rows, ["k"]).matched == 2


def test_on_a_cluster_keys_are_observed(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a process can be lost with what it made, a step of a plan may be counted again."""
    totals = importlib.import_module("cutline_reconciliation.compare.counts.key_totals")
    left = spark.sql("values (1, 'a'), (2, 'b'), (2, 'b'), (3, 'c'), (null, 'd') as t(k, v)")
    right = spark.sql("values (1, 'a'), (3, 'x'), (4, 'd') as t(k, v)")
    expected = compare(left, right, ["k"])
    assert (expected.matched, expected.rows_left, expected.rows_right) == (1, 5, 3)

    def refuse(_: DataFrame) -> None:
        raise AssertionError("a plan that ran on a cluster is asked")

    monkeypatch.setattr(totals, "grouping_metrics", refuse)
    monkeypatch.setattr(totals, "_local", lambda _: False)
    assert compare(left, right, ["k"]) == expected
    nothing = left.where("k > 9")
    assert compare(nothing, nothing, ["k"]).rows_left == 0


@pytest.mark.parametrize(
    ("master", "local"),
    [
        ("local", True), ("local[2]", True), ("local[*]", True), ("local[2,4]", True),
        ("local-cluster[2,1,1024]", False), ("spark://127.0.0.1:7077", False), ("yarn", False),
    ],
)  # fmt: skip
def test_what_runs_in_one_process(master: str, local: bool) -> None:
    totals = importlib.import_module("cutline_reconciliation.compare.counts.key_totals")
    session = SimpleNamespace(sparkContext=SimpleNamespace(master=master))
    assert totals._local(session) is local
