"""The property `exact`: events of a snapshot with confidence `exact` equal those of all changes."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.capture_pairs import capture_pairs
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables import event as labels


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per exact event whose payload, and one per exact event whose time differs."""
    for pair in capture_pairs(trial):
        for ordinal, events in pair.from_snapshot.items():
            rule = trial.translator.facts[ordinal - 1]
            for identity, event in events.items():
                original = pair.all_changes.get(ordinal, {}).get(identity)
                if original is None or event.confidence != labels.EXACT:
                    continue
                for part, before, after in (
                    ("payload", original.data, event.data),
                    ("time", original.time, event.time),
                ):
                    if before == after:
                        continue
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {event.type} calls itself exact, and its {part} moved "
                        f"from {before} to {after}",
                        'Take `stable=True` off a column that moves, or say confidence="inferred".',
                        pair.capture.history,
                    )


EXACT = Property("exact", "what a snapshot calls exact, payload and time, is what was", _violations)
