"""What a snapshot calls exact is what happened."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.capture_pairs import pairs
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables.event import EXACT as EXACTLY


def _broken(trial: Trial) -> Iterator[Violation]:
    for pair in pairs(trial):
        for ordinal, events in pair.seen.items():
            rule = trial.translator.facts[ordinal - 1]
            for identity, told in events.items():
                then = pair.whole.get(ordinal, {}).get(identity)
                if then is None or told.confidence != EXACTLY:
                    continue
                for what, was, is_now in (
                    ("payload", then.data, told.data),
                    ("time", then.time, told.time),
                ):
                    if was == is_now:
                        continue
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {told.type} calls itself exact, and its {what} moved "
                        f"from {was} to {is_now}",
                        'Take `stable=True` off a column that moves, or say confidence="inferred".',
                        pair.telling.history,
                    )


EXACT = Property("exact", "what a snapshot calls exact, payload and time, is what was", _broken)
