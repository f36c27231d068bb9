"""What really happened: one value per true event."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Mark = tuple[str, str, dt.datetime | None]
"""Case, activity and time: what an event is known by."""


@dataclass(frozen=True)
class TrueEvent:
    """One event of one case.

    `time` is as exact as the file: a day's midnight for fines, a moment for claims. `payload` is
    what a payload may tell of it. `place` orders the events of a case, also those of one day.
    """

    case: str
    activity: str
    time: dt.datetime
    place: int
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> Mark:
        """What an announced event is known by."""
        return self.case, self.activity, self.time


def by_case(events: Iterable[TrueEvent]) -> dict[str, list[TrueEvent]]:
    """The events of each case, in the order in which they happened."""
    cases: dict[str, list[TrueEvent]] = {}
    for event in sorted(events, key=lambda e: (e.time, e.place)):
        cases.setdefault(event.case, []).append(event)
    return cases
