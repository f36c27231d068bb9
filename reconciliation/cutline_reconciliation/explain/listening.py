"""Which event gave a state column its value, by what the aggregate declares."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.context.state import FIRST, FURTHEST_OF_TYPES, StateColumn


def listening(aggregates: Iterable[Aggregate]) -> tuple[Column, Column]:
    """Of an event `c` and a break: whether the break's column listens to it, and its place.

    The event with the greatest place has the say: the first for `first`, the furthest and then the
    last for `furthest_of_types`, else the last. What a condition on payloads leaves out is not
    looked at: the last event of a type that the column listens to stands for it.
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
