"""The property `replay-safe`: an event with a side effect is marked so only with a reason."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.generate.rule_constants import occurrence_of
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.engine.rules import LAST, evaluate_fact
from cutline.errors import ConfigurationError


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per fact with a side effect whose `replay_safe` is true or blank; not per-row facts."""
    translator = trial.translator
    for rule in translator.facts:
        if rule.per_row or not rule.event.side_effect:
            continue
        try:
            reason = occurrence_of(evaluate_fact(translator, rule, LAST)).replay_safe
        except ConfigurationError:
            continue  # A violation of the property `rules`.
        if reason is True or (isinstance(reason, str) and reason and not reason.strip()):
            yield Violation(
                rule.name,
                f"fact {rule.name}: {rule.event.event_type()} is marked replay-safe without a "
                f"reason, and consumers act on it: it {rule.event.side_effect}",
                'Leave replay_safe out, or give the reason: replay_safe="…".',
            )


REPLAY_SAFE = Property(
    "replay-safe",
    "no event with a side effect is replay-safe without a reason",
    _violations,
    is_static=True,
)
