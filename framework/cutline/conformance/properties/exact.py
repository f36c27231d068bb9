"""What a snapshot calls exact is what happened."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.comparable import pairs
from cutline.conformance.properties.violation import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables.event import EXACT as EXACTLY
from cutline.testing.worlds import Told


def _broken(trial: Trial) -> Iterator[Violation]:
    for whole, telling, seen in pairs(trial):
        for ordinal, events in seen.items():
            rule = trial.translator.facts[ordinal - 1]
            for identity, told in events.items():
                then = whole.get(ordinal, {}).get(identity)
                if then is not None and (differs := _differs(then, told)):
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {told.type} calls itself exact, and its {differs}",
                        'Say confidence="inferred", or take it from a column that does not move; '
                        "one that never does is declared stable=True.",
                        telling.history,
                    )


def _differs(then: Told, told: Told) -> str:
    """What moved between the event and what a snapshot still knows of it; empty if nothing did."""
    if told.confidence != EXACTLY or then.confidence != EXACTLY:
        return ""
    if then.time != told.time:
        return f"time moved from {then.time} to {told.time}"
    return f"payload moved from {then.data} to {told.data}" if then.data != told.data else ""


EXACT = Property("exact", "what a snapshot calls exact is what happened", _broken)
