"""Every event says where its knowledge comes from."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.tables import event as labels
from cutline.testing.worlds import Told

_BASES = (labels.EFFECTIVE, labels.COMMIT, labels.EXTRACT)
_CONFIDENCES = (labels.EXACT, labels.INFERRED, labels.APPROXIMATE)


def _broken(trial: Trial) -> Iterator[Violation]:
    for telling in trial.tellings:
        for end in telling.ends:
            for told in end.events:
                rule = trial.translator.facts[told.ordinal - 1]
                for wrong in _wrong(told):
                    yield Violation(
                        rule.name,
                        f"fact {rule.name}: {told.type} has {wrong}",
                        "Say it in the Occurrence: subject, at, time_basis, confidence.",
                        telling.history,
                    )


def _wrong(told: Told) -> Iterator[str]:
    if not told.subject:
        yield "no subject"
    if told.time is None:
        yield "no time"
    if told.basis not in _BASES:
        yield f"the time basis {told.basis!r}"
    if told.confidence not in _CONFIDENCES:
        yield f"the confidence {told.confidence!r}"
    if told.basis == labels.EXTRACT and told.confidence == labels.EXACT:
        yield "the time of the extract, and calls itself exact"
    if not told.schema:
        yield "no schema"


LABELS = Property("labels", "every event says its subject, time, basis and confidence", _broken)
