"""Projection: an aggregate's state from its timeline, one aggregation per subject."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event, StateColumn, state_name
from cutline.context.payload import payload_fields
from cutline.context.state import (
    COUNT,
    FIRST,
    FURTHEST_OF_TYPES,
    LAST_OF_TYPES,
    LATEST,
    SET,
    SUM,
)
from cutline.errors import ConfigurationError
from cutline.tables.contract import Column as TableColumn
from cutline.tables.contract import Table


def state_table(aggregate: Aggregate) -> Table:
    """The contract of an aggregate's projected table."""
    own = [
        TableColumn(name, state_type(aggregate, name), column.kind)
        for name, column in aggregate.state.items()
    ]
    return Table(
        name=state_name(aggregate.name),
        one_row_is=f"one {aggregate.name} as its timeline tells it at the cut",
        columns=(
            TableColumn("subject", "string", "the aggregate's id", False),
            *own,
            TableColumn("events", "bigint", "events in its timeline", False),
            TableColumn("first_time", "timestamp", "time of the first of them"),
            TableColumn("last_time", "timestamp", "time of the last of them"),
        ),
        rules=("one row per subject that has an event in the timeline",),
    )


def state_type(aggregate: Aggregate, name: str) -> str:
    """The Spark type of a state column, as DDL; ConfigurationError if its events disagree."""
    column = aggregate.state[name]
    if column.kind in (LAST_OF_TYPES, FURTHEST_OF_TYPES):
        return "string"
    if column.kind == COUNT:
        return "bigint"
    types = {_field_type(aggregate, event, field) for event, field in column.events.items()}
    if len(types) != 1:
        raise ConfigurationError(
            f"aggregate {aggregate.name}: state column {name} takes values of different types: "
            + ", ".join(sorted(types))
        )
    kind = types.pop()
    if column.kind == SET:
        return f"array<{kind}>"
    if column.kind == SUM and kind.startswith("decimal"):
        scale = kind.split(",")[1].rstrip(")")
        return f"decimal(38,{scale})"
    return kind


def project(timeline: DataFrame, aggregate: Aggregate) -> DataFrame:
    """One row per subject of the aggregate, in the columns of `state_table`."""
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    names = sorted(
        {f for c in aggregate.state.values() for f in c.events.values() if _reads_field(c)}
    )
    shape = ", ".join(f"`{n}` {_json_type(aggregate, n)}" for n in names)
    if names:
        mine = mine.withColumn("fields", F.from_json("data", shape))
    columns = [
        _aggregated(aggregate, name, column).alias(name) for name, column in aggregate.state.items()
    ]
    return mine.groupBy("subject").agg(
        *columns,
        F.count(F.lit(1)).alias("events"),
        F.min("time").alias("first_time"),
        F.max("time").alias("last_time"),
    )


def _reads_field(column: StateColumn) -> bool:
    return column.kind in (LATEST, FIRST, SUM, SET)


def _aggregated(aggregate: Aggregate, name: str, column: StateColumn) -> Column:
    listens = F.col("type").isin([e.event_type() for e in column.events])
    at = F.when(listens, F.col("ordinal"))
    if column.kind == COUNT:
        return F.coalesce(F.sum(_signs(column).cast("bigint")), F.lit(0))
    if column.kind == LAST_OF_TYPES:
        return F.max_by(_texts(column), at)
    if column.kind == FURTHEST_OF_TYPES:
        return F.max_by(_texts(column), _by_type(column, list(range(1, len(column.events) + 1))))
    value = _value(aggregate, name, column)
    if column.kind == LATEST:
        return F.max_by(value, at)
    if column.kind == FIRST:
        return F.min_by(value, at)
    if column.kind == SET:
        return F.sort_array(F.collect_set(F.when(listens, value)))
    return F.coalesce(F.sum(value * _signs(column)), F.lit(0)).cast(state_type(aggregate, name))


def _signs(column: StateColumn) -> Column:
    return _by_type(column, [column.sign.get(event, 1) for event in column.events])


def _texts(column: StateColumn) -> Column:
    return _by_type(column, list(column.events.values()))


def _by_type(column: StateColumn, values: list[str] | list[int]) -> Column:
    chosen = F.lit(None)
    for event, value in zip(column.events, values, strict=True):
        chosen = F.when(F.col("type") == event.event_type(), F.lit(value)).otherwise(chosen)
    return chosen


def _value(aggregate: Aggregate, name: str, column: StateColumn) -> Column:
    """The field of each event that the column listens to, in its own type."""
    field = next(iter(column.events.values()))
    kind = state_type(aggregate, name)
    kind = kind.removeprefix("array<").removesuffix(">") if column.kind == SET else kind
    return F.col("fields").getField(field).cast(kind)


def _json_type(aggregate: Aggregate, field: str) -> str:
    """How a payload field is read back: nested ones by their type, single values as text."""
    types = {f.type for e in aggregate.events for f in payload_fields(e) if f.name == field}
    nested = {t for t in types if t.startswith(("array<", "struct<"))}
    if nested and len(types) > 1:
        raise ConfigurationError(
            f"aggregate {aggregate.name}: field {field} has different types in different events"
        )
    return nested.pop() if nested else "string"


def _field_type(aggregate: Aggregate, event: type[Event], field: str) -> str:
    for known in payload_fields(event):
        if known.name == field:
            return known.type
    raise ConfigurationError(
        f"aggregate {aggregate.name}: {event.__name__} has no field {field!r}",
        next_step="A state column takes a field that each of its events has.",
    )
