"""The wholes that a run's subjects are parts of, read from its lake."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from cutline.context import Aggregate, state_name, truth_name
from cutline.engine.wholes import wholes_of_parts
from cutline.lake.lake import Lake


def read_wholes(
    lake: Lake, spark: SparkSession, aggregates: Iterable[Aggregate]
) -> DataFrame | None:
    """As `wholes_of_parts`, of the states and truths that the run has; None if there are none."""
    return wholes_of_parts(
        (aggregate, lake.read(spark, name))
        for aggregate in aggregates
        if aggregate.part_of is not None
        for name in (state_name(aggregate.name), truth_name(aggregate.name))
        if lake.exists(spark, name)
    )
