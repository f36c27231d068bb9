"""The property `payloads`: every payload parses in the event's model, which consumers use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pydantic import ValidationError

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.context import Event


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per event whose payload does not parse."""
    for capture in trial.captures:
        for end in capture.ends:
            for event in end.events:
                rule = trial.translator.facts[event.ordinal - 1]
                problem = _parse_problem(rule.event, event.data)
                if problem:
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {event.type} does not parse: {problem}",
                        f"Give {event.type} what its model asks for, or reject such rows.",
                        capture.history,
                    )


@lru_cache(maxsize=100_000)
def _parse_problem(event: type[Event], data: str) -> str:
    """The first error of a payload in its model, `<field>: <message>`; empty if it parses."""
    try:
        event.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ""


PAYLOADS = Property("payloads", "every payload parses in its model", _violations)
