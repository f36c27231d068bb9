"""The event that gave a state column its value, by the aggregate's declarations."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.context.state import FIRST, FURTHEST_OF_TYPES, StateColumn


def listening_rank(aggregates: Iterable[Aggregate]) -> tuple[Column, Column]:
    """For an event `c` and a break, whether the break's column listens to it, and its rank.

    The event of the greatest rank gave the value: the first for `first`, the furthest and then the
    last for `furthest_of_types`, else the last. Conditions on payloads are not evaluated: the last
    event of a type that the column listens to counts.
    """
    listens, place = F.lit(False), F.col("c.ordinal").cast("bigint")
    for aggregate in aggregates:
        for name, column in aggregate.state.items():
            is_column = (F.col("name") == aggregate.name) & (F.col("column") == name)
            types = [event.event_type() for event in column.events]
            listens = listens | (is_column & F.col("c.type").isin(types))
            place = F.when(is_column, _place(column)).otherwise(place)
    return F.coalesce(listens, F.lit(False)), place


def _place(column: StateColumn) -> Column:
    ordinal = F.col("c.ordinal").cast("bigint")
    if column.kind == FIRST:
        return -ordinal
    if column.kind != FURTHEST_OF_TYPES:
        return ordinal
    further = F.lit(0)
    for i, event in enumerate(column.events):
        further = F.when(F.col("c.type") == event.event_type(), i).otherwise(further)
    return further.cast("bigint") * (1 << 32) + ordinal
