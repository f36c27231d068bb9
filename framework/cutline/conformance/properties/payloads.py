"""Payloads parse in the model that consumers read them with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pydantic import ValidationError

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.context import Event


def _broken(trial: Trial) -> Iterator[Violation]:
    for telling in trial.tellings:
        for end in telling.ends:
            for told in end.events:
                rule = trial.translator.facts[told.ordinal - 1]
                wrong = _wrong(rule.event, told.data)
                if wrong:
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {told.type} does not parse: {wrong}",
                        f"Give {told.type} what its model asks for, or reject such rows.",
                        telling.history,
                    )


@lru_cache(maxsize=100_000)
def _wrong(event: type[Event], data: str) -> str:
    """What is wrong with a payload; empty if nothing is."""
    try:
        event.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return ""


PAYLOADS = Property("payloads", "every payload parses in its model", _broken)
