"""One state column: an aggregate over the events that it listens to."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event, StateColumn
from cutline.context.payload import payload_fields
from cutline.context.state import COUNT, FIRST, FURTHEST_OF_TYPES, LAST_OF_TYPES, LATEST, SET
from cutline.engine.project.types import column_type, field_type
from cutline.engine.project.uncomputable import state_error
from cutline.errors import ConfigurationError
from cutline.sql.spark import in_small_letters

FIELDS = "fields"
"""A struct of the payload fields that some column reads, by `in_small_letters` of their names:
nested ones typed, others as text."""


def state_column(aggregate: Aggregate, name: str, column: StateColumn) -> Column:
    """The column's value over the rows of a group, which are in the order of `ordinal`."""
    listens = _listens(aggregate, column)
    at = F.when(listens, F.col("ordinal"))
    if column.kind == COUNT:
        return F.coalesce(F.sum(F.when(listens, _signs(column).cast("bigint"))), F.lit(0))
    if column.kind == LAST_OF_TYPES:
        return F.max_by(_texts(column), at)
    if column.kind == FURTHEST_OF_TYPES:
        place = _by_type(column, list(range(1, len(column.events) + 1)))
        return F.max_by(_texts(column), F.when(listens, place))
    value = _value(aggregate, column)
    if column.kind == LATEST:
        return F.max_by(value, at)
    if column.kind == FIRST:
        return F.min_by(value, at)
    if column.kind == SET:
        return F.sort_array(F.collect_set(F.when(listens, value)))
    return _total(aggregate, name, column, F.when(listens, value))


def _total(aggregate: Aggregate, name: str, column: StateColumn, value: Column) -> Column:
    """The exact sum; a StateError where the column's type does not hold it.

    Whole numbers are added as decimals: a sum on the way may have more bits than the last one.
    """
    kind = column_type(aggregate, column)
    numbers = _signed(value.cast("decimal(19,0)") if kind == "bigint" else value, column)
    total, zero = F.try_sum(numbers).try_cast(kind), F.lit(0).cast(kind)
    why = f"its total has more digits than a {kind} holds"
    error = state_error(aggregate.name, name, why).cast(kind)
    # The last zero is never reached: it says that the column is never null.
    return F.coalesce(total, F.when(F.count(numbers) == 0, zero).otherwise(error), zero)


def json_type(aggregate: Aggregate, field: str) -> str:
    """How a payload field is read back: nested ones by their type, single values as text."""
    types = {f.type for e in aggregate.events for f in payload_fields(e) if f.name == field}
    nested = {t for t in types if t.startswith(("array<", "struct<"))}
    if nested and len(types) > 1:
        raise ConfigurationError(
            f"aggregate {aggregate.name}: field {field} has different types in different events"
        )
    return nested.pop() if nested else "string"


def payload_field(field: str, kind: str) -> Column:
    """A payload's field in its own type."""
    return F.col(FIELDS).getField(in_small_letters(field)).cast(kind)


def is_one_of(events: tuple[type[Event], ...]) -> Column:
    """Whether a row is an event of one of these types."""
    return F.col("type").isin([e.event_type() for e in events])


def _listens(aggregate: Aggregate, column: StateColumn) -> Column:
    """Whether the column counts an event, by its type and its payload; never null."""
    if not column.where:
        return is_one_of(tuple(column.events))
    condition = F.lit(False)
    for event in column.events:
        of_event = F.col("type") == event.event_type()
        for field, values in column.where.items():
            kind = field_type(aggregate, event, field)
            among = [F.lit(value).cast(kind) for value in values]
            of_event = of_event & F.coalesce(payload_field(field, kind).isin(*among), F.lit(False))
        condition = condition | of_event
    return condition


def _signs(column: StateColumn) -> Column:
    return _by_type(column, [column.sign.get(event, 1) for event in column.events])


def _signed(value: Column, column: StateColumn) -> Column:
    """The value, negative where its event is subtracted.

    A product with a sign would have more digits than Spark's decimals: it would be rounded.
    """
    minus = tuple(event for event, sign in column.sign.items() if sign < 0)
    return F.when(is_one_of(minus), -value).otherwise(value) if minus else value


def _texts(column: StateColumn) -> Column:
    return _by_type(column, list(column.events.values()))


def _by_type(column: StateColumn, values: list[str] | list[int]) -> Column:
    chosen = F.lit(None)
    for event, value in zip(column.events, values, strict=True):
        chosen = F.when(F.col("type") == event.event_type(), F.lit(value)).otherwise(chosen)
    return chosen


def _value(aggregate: Aggregate, column: StateColumn) -> Column:
    """The field of each event that the column counts, in its own type."""
    field = next(iter(column.events.values()))
    kind = column_type(aggregate, column)
    kind = kind.removeprefix("array<").removesuffix(">") if column.kind == SET else kind
    return payload_field(field, kind)
