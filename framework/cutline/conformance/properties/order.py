"""What is told does not depend on how rows happen to lie."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial


def _broken(trial: Trial) -> Iterator[Violation]:
    first = {(telling.history, telling.moment): telling for telling in trial.tellings}
    for other in trial.again:
        one = first[other.history, other.moment]
        for end, again in zip(one.ends, other.ends, strict=False):
            if end == again:
                continue
            told = [(event, twin) for event, twin in zip(end.events, again.events, strict=False)]
            moved = next((event.type for event, twin in told if event != twin), end.rule)
            yield Violation(
                moved,
                f"{moved}: the same rows in another order, in other partitions, are told otherwise",
                "Take nothing from where a row lies: no row number, no random value, no first of "
                "an unordered list.",
                one.history,
            )
            break


ORDER = Property(
    "order", "ids and payloads do not depend on the order of rows or on partitions", _broken, True
)
