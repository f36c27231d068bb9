"""The wholes that subjects are parts of, as their aggregate declares it: never by an id's text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, PartOf
from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.rules import joined_subject


def whole_of(part: PartOf, row: Column) -> Column:
    """The id of the whole, from a struct `row` of the part's state or truth.

    It is joined as a translator joins a subject; null if one of its columns is null.
    """
    return joined_subject([row.getField(name) for name in part.by])


WHOLES = Frame(
    "one pair of a part and its whole",
    tuple(
        FrameColumn(name, "string", doc, False)
        for name, doc in (
            ("aggregate", "the part's aggregate"),
            ("subject", "the part's id"),
            ("whole_aggregate", "the aggregate of its whole"),
            ("whole", "the id of its whole"),
        )
    ),
)


@step(returns=WHOLES)
def wholes_of_parts(tables: Iterable[tuple[Aggregate, DataFrame]]) -> DataFrame | None:
    """The wholes that parts name; None if no table is left.

    `tables` are states and truths, each with its aggregate. Those of aggregates that are part of
    nothing, and those that lack a column of the whole's id, are passed over.
    """
    frames = [
        rows.select(
            F.lit(aggregate.name).alias("aggregate"),
            "subject",
            F.lit(aggregate.part_of.aggregate).alias("whole_aggregate"),
            whole_of(aggregate.part_of, F.struct("*")).alias("whole"),
        )
        for aggregate, rows in tables
        if aggregate.part_of is not None and set(aggregate.part_of.by) <= set(rows.columns)
    ]
    return reduce(DataFrame.unionByName, frames).dropna().distinct() if frames else None
