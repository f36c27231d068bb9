"""Two events of one row are two facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial


def _broken(trial: Trial) -> Iterator[Violation]:
    for telling in trial.tellings:
        for end in telling.ends:
            for identity, times in Counter(told.identity for told in end.events).items():
                if times > 1:
                    kind, subject, occurrence = identity
                    yield Violation(
                        kind,
                        f"one row announces {kind} of {subject} {times} times under one key "
                        f"(occurrence {occurrence})",
                        f"Say in {kind}.identified_by, or in the occurrence's `key`, what tells "
                        "one from another.",
                        telling.history,
                    )


DISTINCT = Property("distinct", "no row announces two events under one key", _broken)
