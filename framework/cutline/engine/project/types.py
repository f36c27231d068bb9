"""The contract of an aggregate's state, and the types of its columns."""

from __future__ import annotations

from cutline.context import Aggregate, Event, Fold, Lines, StateColumn, state_name
from cutline.context.payload import payload_fields
from cutline.context.state import COUNT, FURTHEST_OF_TYPES, LAST_OF_TYPES, SET, SUM
from cutline.errors import ConfigurationError
from cutline.tables.contract import Column as TableColumn
from cutline.tables.contract import Table


def state_table(aggregate: Aggregate) -> Table:
    """The contract of an aggregate's projected table."""
    state_columns = [
        TableColumn(name, state_type(aggregate, name), column.kind)
        for name, column in aggregate.state.items()
    ]
    return Table(
        name=state_name(aggregate.name),
        one_row_is=f"one {aggregate.name} as its timeline tells it at the cut",
        columns=(
            TableColumn("subject", "string", "the aggregate's id", False),
            *state_columns,
            TableColumn("events", "bigint", "events in its timeline", False),
            TableColumn("first_time", "timestamp", "time of the first of them"),
            TableColumn("last_time", "timestamp", "time of the last of them"),
        ),
        rules=(
            "one row per subject that has an event in the timeline, and that its last one does not "
            "end",
        ),
    )


def state_type(aggregate: Aggregate, name: str) -> str:
    """The Spark type of a state column, as DDL."""
    return column_type(aggregate, aggregate.state[name])


def column_type(aggregate: Aggregate, column: StateColumn) -> str:
    """As `state_type`, of a column that may stand within lines."""
    if isinstance(column, Lines):
        inner = [(k, key_type(aggregate, column, k)) for k in column.key]
        inner += [(n, column_type(aggregate, c)) for n, c in column.columns.items()]
        return f"array<struct<{','.join(f'{n}:{kind}' for n, kind in inner)}>>"
    if isinstance(column, Fold):
        return column.type
    if column.kind in (LAST_OF_TYPES, FURTHEST_OF_TYPES):
        return "string"
    if column.kind == COUNT:
        return "bigint"
    event, field = next(iter(column.events.items()))
    kind = field_type(aggregate, event, field)
    if column.kind == SET:
        return f"array<{kind}>"
    if column.kind == SUM and kind.startswith("decimal"):
        scale = kind.split(",")[1].rstrip(")")
        return f"decimal(38,{scale})"
    return kind


def key_type(aggregate: Aggregate, column: Lines, key: str) -> str:
    """The type of a field of a lines' key."""
    return field_type(aggregate, next(iter(column.events)), key)


def field_type(aggregate: Aggregate, event: type[Event], field: str) -> str:
    """The type of a payload's field; ConfigurationError where there is none."""
    for payload_field in payload_fields(event):
        if payload_field.name == field:
            return payload_field.type
    raise ConfigurationError(
        f"aggregate {aggregate.name}: {event.__name__} has no field {field!r}",
        next_step="A state column takes a field that each of its events has.",
    )
