"""State columns: how an aggregate's state follows from its events, declared and not coded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cutline.context.event import Event

LATEST, FIRST, SUM, COUNT, SET, LAST_OF_TYPES, FURTHEST_OF_TYPES = (
    "latest",
    "first",
    "sum",
    "count",
    "set",
    "last-of-types",
    "furthest-of-types",
)
OF_FIELDS = frozenset({LATEST, FIRST, SUM, SET})
"""The kinds that take the value of a payload's field."""


@dataclass(frozen=True)
class StateColumn:
    """One column of an aggregate's state.

    `kind` is the aggregation; `events` maps each event type it listens to onto the payload field
    it takes (or, for the `of-types` kinds, onto the text it sets; for a count, onto nothing).
    `sign` maps event types that are subtracted to -1 (sums and counts only).
    """

    kind: str
    events: Mapping[type[Event], str]
    sign: Mapping[type[Event], int] = field(default_factory=dict)


def latest(name: str, *events: type[Event]) -> StateColumn:
    """The field `name` of the last of `events`; null if none came."""
    return StateColumn(LATEST, dict.fromkeys(events, name))


def first(name: str, *events: type[Event]) -> StateColumn:
    """The field `name` of the first of `events`; null if none came."""
    return StateColumn(FIRST, dict.fromkeys(events, name))


def total(
    name: str, plus: list[type[Event]], minus: list[type[Event]] | None = None
) -> StateColumn:
    """The sum of field `name` over `plus`, less that over `minus`; 0 if none came."""
    less = minus or []
    return StateColumn(SUM, dict.fromkeys([*plus, *less], name), dict.fromkeys(less, -1))


def count(*events: type[Event], minus: list[type[Event]] | None = None) -> StateColumn:
    """How many of `events` came, less how many of `minus`; 0 if none did."""
    less = minus or []
    return StateColumn(COUNT, dict.fromkeys([*events, *less], ""), dict.fromkeys(less, -1))


def distinct(name: str, *events: type[Event]) -> StateColumn:
    """The distinct values of field `name` in `events`, sorted; an empty list if none came."""
    return StateColumn(SET, dict.fromkeys(events, name))


def last_of_types(values: Mapping[type[Event], str]) -> StateColumn:
    """The text that belongs to the event that came last in the timeline."""
    return StateColumn(LAST_OF_TYPES, dict(values))


def furthest_of_types(values: Mapping[type[Event], str]) -> StateColumn:
    """The text of the furthest event that came, by the order of `values`, whatever its time.

    For sources whose times contradict the process: handed over before it was approved is still
    handed over.
    """
    return StateColumn(FURTHEST_OF_TYPES, dict(values))
