"""The property `order`: events do not depend on the order or the partitions of rows."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial


def _violations(trial: Trial) -> Iterator[Violation]:
    """At most one per shuffled capture: its first end that differs from the capture in order."""
    in_order = {(capture.history, capture.moment): capture for capture in trial.captures}
    for shuffled in trial.shuffled_captures:
        original = in_order[shuffled.history, shuffled.moment]
        for end, shuffled_end in zip(original.ends, shuffled.ends, strict=False):
            if end == shuffled_end:
                continue
            events = zip(end.events, shuffled_end.events, strict=False)
            culprit = next((event.type for event, twin in events if event != twin), end.rule)
            yield Violation(
                culprit,
                f"{culprit}: the same rows in another order, in other partitions, are told "
                "otherwise",
                "Take nothing from where a row lies: no row number, no random value, no first of "
                "an unordered list.",
                original.history,
            )
            break


ORDER = Property(
    "order",
    "ids and payloads do not depend on the order of rows or on partitions",
    _violations,
    needs_shuffled=True,
)
