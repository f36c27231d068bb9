"""The property `labels`: every event has subject, time, time basis, confidence and schema."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables import event as labels
from cutline.testing.worlds import AnnouncedEvent

_BASES = (labels.EFFECTIVE, labels.COMMIT, labels.EXTRACT)
_CONFIDENCES = (labels.EXACT, labels.INFERRED, labels.APPROXIMATE)


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per event and label that is missing or not allowed."""
    for capture in trial.captures:
        for end in capture.ends:
            for event in end.events:
                rule = trial.translator.facts[event.ordinal - 1]
                for problem in _label_problems(event):
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {event.type} has {problem}",
                        "Say it in the Occurrence: subject, at, time_basis, confidence.",
                        capture.history,
                    )


def _label_problems(event: AnnouncedEvent) -> Iterator[str]:
    """What is wrong with the event's labels, each as the object of `has`."""
    if not event.subject:
        yield "no subject"
    if event.time is None:
        yield "no time"
    if event.basis not in _BASES:
        yield f"the time basis {event.basis!r}"
    if event.confidence not in _CONFIDENCES:
        yield f"the confidence {event.confidence!r}"
    if event.basis == labels.EXTRACT and event.confidence == labels.EXACT:
        yield "the time of the extract, and calls itself exact"
    if not event.schema:
        yield "no schema"


LABELS = Property("labels", "every event says its subject, time, basis and confidence", _violations)
