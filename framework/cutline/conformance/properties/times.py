"""The property `times`: event times lie within ten years of the times in their rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from cutline.conformance.history import History
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.testing.step import EXTRACTED

_TOLERANCE = dt.timedelta(days=3660)
"""Ten years: a policy or a lease may begin or end that far from the times of its row."""


def _violations(trial: Trial) -> Iterator[Violation]:
    """One per event whose time is out of its history's range."""
    ranges = [_time_range(history) for history in trial.histories]
    for capture in trial.captures:
        earliest, latest = ranges[capture.history]
        for end in capture.ends:
            for event in end.events:
                if event.time is None or earliest <= event.time <= latest:
                    continue
                rule = trial.translator.facts[event.ordinal - 1]
                yield Violation(
                    rule.name,
                    f"fact {rule.name}: {event.type} happened at {event.time.isoformat()}, ten "
                    "years or more from every time that its rows and their commits name",
                    "Look at the unit and the zone of `at`.",
                    capture.history,
                )


def _time_range(history: History) -> tuple[dt.datetime, dt.datetime]:
    """The least and the greatest time of commits, rows and extract, widened by the tolerance."""
    times = [EXTRACTED, *(change.at for change in history.changes)]
    for row in (*history.reference_rows, *(c.image for c in history.changes if c.image)):
        times += _times(row.named.values())
    return min(times) - _TOLERANCE, max(times) + _TOLERANCE


def _times(values: Iterable[object]) -> Iterator[dt.datetime]:
    """The times and days among the values; those without a zone, and the starts of days, as UTC."""
    for value in values:
        if isinstance(value, dt.datetime):
            yield value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        elif isinstance(value, dt.date):
            yield dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)


TIMES = Property("times", "events happen within ten years of what their rows say", _violations)
