"""Whoever lets history cause side effects says why that is right."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.generate.constants import occurrence_of, said
from cutline.conformance.properties.violation import Property, Violation
from cutline.conformance.trial import Trial


def _broken(trial: Trial) -> Iterator[Violation]:
    translator = trial.translator
    for rule in translator.facts:
        occurrence = None if rule.per_row else occurrence_of(said(translator, rule))
        if not rule.event.side_effect or occurrence is None or not occurrence.replay_safe:
            continue
        reason = occurrence.replay_safe
        if not isinstance(reason, str) or not reason.strip():
            yield Violation(
                rule.name,
                f"fact {rule.name}: {rule.event.event_type()} is marked replay-safe without a "
                f"reason, and consumers act on it: it {rule.event.side_effect}",
                'Leave replay_safe out, or give the reason: replay_safe="…".',
            )


REPLAY = Property(
    "replay-safe", "no event with a side effect is replay-safe without a reason", _broken
)
