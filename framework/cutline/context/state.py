"""State columns: declared aggregations of an aggregate's events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from cutline.context.event import Event

LATEST, FIRST, SUM, COUNT, SET, LAST_OF_TYPES, FURTHEST_OF_TYPES, LINES, FOLD = (
    "latest",
    "first",
    "sum",
    "count",
    "set",
    "last-of-types",
    "furthest-of-types",
    "lines",
    "fold",
)
HISTORY_COLUMNS = ("events", "first_time", "last_time")
"""The columns of a state table beside `subject` and those that are declared: how many events the
timeline of the subject has, and the times of the first and the last of them.
"""

OF_FIELDS = frozenset({LATEST, FIRST, SUM, SET})
"""The kinds that take the value of a payload's field."""


Condition = Mapping[str, object]
"""By payload field, the value that it must have, or a list of values of which it must have one."""


@dataclass(frozen=True)
class StateColumn:
    """One column of an aggregate's state.

    `kind` is the aggregation; `events` maps each event type it listens to onto the payload field
    it takes (or, for the `of-types` kinds, onto the text it sets; for a count, onto nothing).
    `sign` maps event types that are subtracted to -1 (sums and counts only). `where` says, by
    payload field, which values make an event count at all; null is none of them.
    """

    kind: str
    events: Mapping[type[Event], str]
    sign: Mapping[type[Event], int] = field(default_factory=dict)
    where: Mapping[str, tuple[object, ...]] = field(default_factory=dict)

    def fields(self) -> Iterator[tuple[type[Event], str]]:
        """The payload fields that it looks at, with the event that they are of."""
        for event, name in self.events.items():
            if self.kind in OF_FIELDS:
                yield event, name
            for condition in self.where:
                yield event, condition


@dataclass(frozen=True)
class Lines(StateColumn):
    """A nested table: an array of structs, one per key, sorted by key.

    `columns` are those of a line, by name. A line is gone while the last event of its key is one of
    `removed_by`.
    """

    key: tuple[str, ...] = ()
    columns: Mapping[str, StateColumn] = field(default_factory=dict)
    removed_by: tuple[type[Event], ...] = ()

    def fields(self) -> Iterator[tuple[type[Event], str]]:
        for event in self.events:
            for name in self.key:
                yield event, name
        for column in self.columns.values():
            yield from column.fields()


@dataclass(frozen=True)
class Fold(StateColumn):
    """A value that Python makes of a subject's events, one after the other: slow.

    `type` is the column's Spark type.
    """

    type: str = "string"
    initial: object = None
    step: Callable[[Any, Any], object] | None = None


def latest(name: str, *events: type[Event], where: Condition | None = None) -> StateColumn:
    """The field `name` of the last of `events`; null if none came."""
    return StateColumn(LATEST, dict.fromkeys(events, name), where=_condition_values(where))


def first(name: str, *events: type[Event], where: Condition | None = None) -> StateColumn:
    """The field `name` of the first of `events`; null if none came."""
    return StateColumn(FIRST, dict.fromkeys(events, name), where=_condition_values(where))


def total(
    name: str,
    plus: list[type[Event]],
    minus: list[type[Event]] | None = None,
    where: Condition | None = None,
) -> StateColumn:
    """The sum of field `name` over `plus`, less that over `minus`; 0 if none came."""
    less = minus or []
    return StateColumn(
        SUM, dict.fromkeys([*plus, *less], name), dict.fromkeys(less, -1), _condition_values(where)
    )


def count(
    *events: type[Event], minus: list[type[Event]] | None = None, where: Condition | None = None
) -> StateColumn:
    """How many of `events` came, less how many of `minus`; 0 if none did."""
    less = minus or []
    return StateColumn(
        COUNT,
        dict.fromkeys([*events, *less], ""),
        dict.fromkeys(less, -1),
        _condition_values(where),
    )


def distinct(name: str, *events: type[Event], where: Condition | None = None) -> StateColumn:
    """The distinct values of field `name` in `events`, sorted; an empty list if none came."""
    return StateColumn(SET, dict.fromkeys(events, name), where=_condition_values(where))


def last_of_types(values: Mapping[type[Event], str], where: Condition | None = None) -> StateColumn:
    """The text that belongs to the event that came last in the timeline."""
    return StateColumn(LAST_OF_TYPES, dict(values), where=_condition_values(where))


def furthest_of_types(
    values: Mapping[type[Event], str], where: Condition | None = None
) -> StateColumn:
    """The text of the furthest event that came, by the order of `values`, whatever its time.

    For sources whose times contradict the process: handed over before it was approved is still
    handed over.
    """
    return StateColumn(FURTHEST_OF_TYPES, dict(values), where=_condition_values(where))


def lines(
    key: str | list[str],
    columns: Mapping[str, StateColumn],
    removed_by: list[type[Event]] | None = None,
) -> Lines:
    """A nested table with one line per value of the field `key` (or of several).

    All events of `columns` and `removed_by` must have the key's fields. Events whose key is null
    belong to no line.
    """
    removing_events = tuple(removed_by or ())
    keys = (key,) if isinstance(key, str) else tuple(key)
    column_events = [event for column in columns.values() for event in column.events]
    events = dict.fromkeys([*column_events, *removing_events], keys[0] if keys else "")
    return Lines(LINES, events, key=keys, columns=dict(columns), removed_by=removing_events)


_State = TypeVar("_State", str, int, bool, Decimal, dt.date, dt.datetime, None)


def fold(
    initial: _State, step: Callable[[_State, Any], _State], *events: type[Event], type: str
) -> Fold:
    """What `step` makes of `initial` and each of `events`, in the timeline's order; `initial` if
    none came.

    For what the other columns cannot say, and many times slower than they are: every such event
    goes through Python, and all of one subject's are in memory at once. `step` is given the value
    so far and the event, as an object of its class; it must look at nothing else. `type` is the
    Spark type of the value, such as `bigint` or `decimal(12,2)`: a value that it would change, or a
    step that raises, ends the run with the names of column, subject and event.
    """
    return Fold(FOLD, dict.fromkeys(events, ""), type=type, initial=initial, step=step)


def _condition_values(where: Condition | None) -> dict[str, tuple[object, ...]]:
    conditions = where or {}
    return {
        name: tuple(one) if isinstance(one, list | tuple | set) else (one,)
        for name, one in conditions.items()
    }
