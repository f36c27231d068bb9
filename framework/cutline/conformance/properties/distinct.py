"""The property `distinct`: two events of one row have two identities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per row and identity that several events of the row have."""
    for capture in trial.captures:
        for end in capture.ends:
            for identity, times in Counter(event.identity for event in end.events).items():
                if times > 1:
                    kind, subject, occurrence = identity
                    yield Violation(
                        kind,
                        f"one row announces {kind} of {subject} {times} times under one key "
                        f"(occurrence {occurrence})",
                        f"Say in {kind}.identified_by, or in the occurrence's `key`, what tells "
                        "one from another.",
                        capture.history,
                    )


DISTINCT = Property("distinct", "no row announces two events under one key", _violations)
