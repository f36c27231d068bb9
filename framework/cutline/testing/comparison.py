"""The comparison of one announced event, or one row's end, with its expectation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cutline.context import Context, Event
from cutline.errors import ConfigurationError, did_you_mean
from cutline.testing.expected import ExpectedEnd, ExpectedEvent
from cutline.testing.literals import moment
from cutline.testing.worlds.results import AnnouncedEvent, RowEnd

FIELDS = ("subject", "time", "basis", "confidence", "replay_safe", "occurrence", "aggregate")


@dataclass(frozen=True)
class Difference:
    """A field that differs, and its two values as people read them."""

    field: str
    expected: str
    actual: str


def refuse_unknown(context: Context, expected: ExpectedEvent) -> None:
    """ConfigurationError for an expected event, field or payload field that does not exist."""
    payload = event_class(context, expected)
    _refuse_unknown_names(f"event {expected.name}", "field", expected.fields, FIELDS)
    _refuse_unknown_names(
        f"event {expected.name}", "payload field", expected.data, payload.model_fields
    )


def event_class(context: Context, expected: ExpectedEvent) -> type[Event]:
    """The payload class; ConfigurationError if the context has none of that name."""
    by_name = {e.event_type(): e for a in context.aggregates for e in a.events}
    _refuse_unknown_names(f"context {context.name}", "event", [expected.name], by_name)
    return by_name[expected.name]


def differences(
    context: Context, expected: ExpectedEvent, event: AnnouncedEvent
) -> list[Difference]:
    """The named fields in which an event differs from its expectation."""
    return [
        Difference(name, show(wanted), show(got))
        for name, wanted, got in _pairs(context, expected, event)
        if wanted != got
    ]


def end_differences(expected: ExpectedEnd, end: RowEnd) -> list[Difference]:
    """Whether a row's disposition or rule differs from its expectation: none, one or both."""
    pairs = [("end", expected.disposition, end.disposition)]
    if expected.rule is not None:
        pairs.append(("rule", expected.rule, end.rule))
    return [Difference(name, wanted, got) for name, wanted, got in pairs if wanted != got]


def show(value: Any) -> str:
    """A value as people read it; texts in quotes."""
    return repr(value) if isinstance(value, str) else str(value)


def _pairs(
    context: Context, expected: ExpectedEvent, event: AnnouncedEvent
) -> Iterator[tuple[str, Any, Any]]:
    for name, wanted in expected.fields.items():
        yield name, _wanted(name, wanted), _actual(name, event)
    if not expected.data:
        return
    payload = event_class(context, expected)
    actual = payload.model_validate_json(event.data)
    for name, wanted in expected.data.items():
        yield f"data.{name}", _as_field(payload, name, wanted), getattr(actual, name)


def _wanted(name: str, wanted: Any) -> Any:
    if wanted is None:
        return None
    if name == "time":
        return moment(wanted)
    return list(wanted) if name == "occurrence" else wanted


def _actual(name: str, event: AnnouncedEvent) -> Any:
    value = getattr(event, name)
    return json.loads(value) if name == "occurrence" and value is not None else value


def _as_field(payload: type[Event], name: str, wanted: Any) -> Any:
    """The value in the type of the payload's field; unchanged if it does not fit."""
    kind: Any = payload.model_fields[name].annotation
    try:
        return TypeAdapter(kind).validate_python(wanted)
    except ValidationError:
        return wanted


def _refuse_unknown_names(where: str, noun: str, names: Any, available: Any) -> None:
    for name in names:
        if name not in available:
            raise ConfigurationError(
                f"{where}: there is no {noun} {name!r}.{did_you_mean(name, available)}",
                next_step=f"There is: {', '.join(available)}.",
            )
