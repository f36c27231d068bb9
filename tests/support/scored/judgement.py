"""The judgement of one run: what was to be announced, what was, and how far the two agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from support.scored.announced import Announced, Outcome
from support.scored.truth import Mark, TrueEvent

Identity = tuple[str, str, Any]
Field = tuple[str, str]
"""An activity and a field of its payload."""


@dataclass(frozen=True)
class Judgement:
    """`expected` are the events to be announced; of those in `timeless`, only that they happened.

    Counts are by activity. What was announced twice was invented once.
    """

    expected: list[TrueEvent]
    outcome: Outcome
    timeless: frozenset[Mark] = frozenset()

    @cached_property
    def _due(self) -> Counter[Mark]:
        marks = (event.mark for event in self.expected)
        return Counter((*m[:2], None) if m in self.timeless else m for m in marks)

    @cached_property
    def _announced(self) -> Counter[Mark]:
        return Counter(event.mark for event in self.outcome.events)

    @property
    def recovered(self) -> Counter[str]:
        return _by_activity(self._due & self._announced)

    @property
    def missed(self) -> Counter[str]:
        return _by_activity(self._due - self._announced)

    @property
    def invented(self) -> Counter[str]:
        return _by_activity(self._announced - self._due)

    @cached_property
    def pairs(self) -> list[tuple[Announced, TrueEvent]]:
        """Each announced event with the true one that it is about, where there is one."""
        true = {
            _identity(event.case, event.activity, event.payload): event for event in self.expected
        }
        matches = (
            (event, true.get(_identity(event.case, event.activity, dict(event.payload))))
            for event in self.outcome.events
        )
        return [(event, one) for event, one in matches if one is not None]

    def missing_values(self) -> Counter[Field]:
        """How often a field is null though something was said."""
        return self._fields(lambda announced, true: announced is None and true is not None)

    def wrong(self) -> Counter[Field]:
        """How often a field says something else than what was said."""
        return self._fields(lambda announced, true: announced is not None and announced != true)

    def labels(self) -> Counter[str]:
        """How many events claim how much: exact, inferred, approximate."""
        return Counter(event.confidence for event in self.outcome.events)

    def _fields(self, holds: Any) -> Counter[Field]:
        return Counter(
            (true.activity, name)
            for event, true in self.pairs
            for name, told in event.payload
            if holds(told, true.payload.get(name))
        )


def _identity(case: str, activity: str, payload: Mapping[str, Any]) -> Identity:
    """Payments of a fine have numbers; everything else happens once to a case."""
    return case, activity, payload.get("payment_no")


def _by_activity(marks: Iterable[Mark]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for mark in marks.elements() if isinstance(marks, Counter) else marks:
        counted[mark[1]] += 1
    return counted
