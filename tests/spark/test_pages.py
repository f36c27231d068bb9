"""Memory by the page: what is sent for a join keeps its pages as long as somebody may join again."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.project.spark import SparkSection
from cutline.spark.session import _defaults

MIB = 1 << 20


def exchanges(plan: Any) -> list[Any]:
    """The broadcasts of a physical plan."""
    children = plan.children()
    below = [node for n in range(children.size()) for node in exchanges(children.apply(n))]
    return [plan, *below] if plan.nodeName() == "BroadcastExchange" else below


def test_few_rows_that_are_sent_for_a_join_take_little_memory(spark: SparkSession) -> None:
    names = spark.range(3).select(F.col("id").cast("string"), F.lit("a").alias("name"))
    joined = spark.range(5).select(F.col("id").cast("string")).join(F.broadcast(names), "id")
    assert len(joined.collect()) == 3
    (sent,) = exchanges(joined._jdf.queryExecution().executedPlan())
    assert sent.metrics().apply("dataSize").value() < 3 * MIB


@pytest.mark.parametrize(("quick", "page"), [(True, "2m"), (False, "8m")])
def test_a_session_takes_small_pages(quick: bool, page: str) -> None:
    section = SparkSection(master="local[2]", quick_start=quick)
    assert _defaults(section)["spark.buffer.pageSize"] == page
