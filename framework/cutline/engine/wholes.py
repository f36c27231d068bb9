"""What subjects are parts of, as their aggregate declares it: never by how an id is spelled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context import Aggregate, PartOf, state_name, truth_name
from cutline.engine.rules.subjects import joined_subject
from cutline.lake.lake import Lake


def whole_of(part: PartOf, row: Column) -> Column:
    """The id of the whole of a state's or truth's row, as a translator writes a subject; null if
    one of its columns is null."""
    return joined_subject([row.getField(name) for name in part.by])


def wholes(lake: Lake, spark: SparkSession, aggregates: Iterable[Aggregate]) -> DataFrame | None:
    """One row per part and whole that state or truth of a run name: `aggregate` and `subject` of
    the part, `whole_aggregate` and `whole`; None where nothing is declared to be a part."""
    frames = [
        frame
        for one in aggregates
        if one.part_of is not None
        for frame in _of(lake, spark, one.name, one.part_of)
    ]
    return reduce(DataFrame.unionByName, frames).dropna().distinct() if frames else None


def _of(lake: Lake, spark: SparkSession, aggregate: str, part: PartOf) -> list[DataFrame]:
    names = (state_name(aggregate), truth_name(aggregate))
    sides = [lake.read(spark, name) for name in names if lake.exists(spark, name)]
    return [
        side.select(
            F.lit(aggregate).alias("aggregate"),
            "subject",
            F.lit(part.aggregate).alias("whole_aggregate"),
            whole_of(part, F.struct("*")).alias("whole"),
        )
        for side in sides
        if set(part.by) <= set(side.columns)
    ]
