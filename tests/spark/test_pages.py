"""Memory by the page: what is sent for a join keeps its pages as long as somebody may join again."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

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


def test_a_session_with_a_quick_start_takes_the_smallest(spark: SparkSession) -> None:
    assert spark.sparkContext.getConf().get("spark.buffer.pageSize") == "2m"
