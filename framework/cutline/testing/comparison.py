"""Comparing one announced event, or one row's end, with what was expected of it."""

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
from cutline.testing.worlds.results import End, Told

FIELDS = ("subject", "time", "basis", "confidence", "replay_safe", "occurrence", "aggregate")


@dataclass(frozen=True)
class Difference:
    """A named field, and its values as people read them."""

    field: str
    expected: str
    got: str


def refuse_unknown(context: Context, expected: ExpectedEvent) -> None:
    """ConfigurationError for an event, a field or a payload field that cannot be there."""
    payload = event_class(context, expected)
    _known(f"event {expected.name}", "field", expected.fields, FIELDS)
    _known(f"event {expected.name}", "payload field", expected.data, payload.model_fields)


def event_class(context: Context, expected: ExpectedEvent) -> type[Event]:
    """The payload class; ConfigurationError if the context has none of that name."""
    by_name = {e.event_type(): e for a in context.aggregates for e in a.events}
    _known(f"context {context.name}", "event", [expected.name], by_name)
    return by_name[expected.name]


def differences(context: Context, expected: ExpectedEvent, told: Told) -> list[Difference]:
    """What differs between an event and what was expected; empty if nothing that was named does."""
    return [
        Difference(name, show(wanted), show(got))
        for name, wanted, got in _pairs(context, expected, told)
        if wanted != got
    ]


def end_differences(expected: ExpectedEnd, end: End) -> list[Difference]:
    """What differs between a row's end and what was expected of it."""
    pairs = [("end", expected.disposition, end.disposition)]
    if expected.rule is not None:
        pairs.append(("rule", expected.rule, end.rule))
    return [Difference(name, wanted, got) for name, wanted, got in pairs if wanted != got]


def show(value: Any) -> str:
    """A value as people read it; texts in quotes."""
    return repr(value) if isinstance(value, str) else str(value)


def _pairs(context: Context, expected: ExpectedEvent, told: Told) -> Iterator[tuple[str, Any, Any]]:
    for name, wanted in expected.fields.items():
        yield name, _wanted(name, wanted), _got(name, told)
    if not expected.data:
        return
    payload = event_class(context, expected)
    found = payload.model_validate_json(told.data)
    for name, wanted in expected.data.items():
        yield f"data.{name}", _as_field(payload, name, wanted), getattr(found, name)


def _wanted(name: str, wanted: Any) -> Any:
    if wanted is None:
        return None
    if name == "time":
        return moment(wanted)
    return list(wanted) if name == "occurrence" else wanted


def _got(name: str, told: Told) -> Any:
    value = getattr(told, name)
    return json.loads(value) if name == "occurrence" and value is not None else value


def _as_field(payload: type[Event], name: str, wanted: Any) -> Any:
    """The value as the payload holds it; as it stands where the payload could not hold it."""
    kind: Any = payload.model_fields[name].annotation
    try:
        return TypeAdapter(kind).validate_python(wanted)
    except ValidationError:
        return wanted


def _known(where: str, what: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            raise ConfigurationError(
                f"{where}: there is no {what} {name!r}.{did_you_mean(name, known)}",
                next_step=f"There is: {', '.join(known)}.",
            )
