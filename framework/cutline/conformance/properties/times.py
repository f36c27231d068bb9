"""Events happen when their rows say, or thereabouts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from cutline.conformance.history import History
from cutline.conformance.properties.property import Property, Violation
from cutline.conformance.trial import Trial
from cutline.testing.step import EXTRACTED

_APART = dt.timedelta(days=3660)
"""Ten years: a policy or a lease may begin or end that far from what the row says."""


def _broken(trial: Trial) -> Iterator[Violation]:
    ranges = [_range(history) for history in trial.histories]
    for telling in trial.tellings:
        low, high = ranges[telling.history]
        for end in telling.ends:
            for told in end.events:
                if told.time is None or low <= told.time <= high:
                    continue
                rule = trial.translator.facts[told.ordinal - 1]
                yield Violation(
                    rule.name,
                    f"fact {rule.name}: {told.type} happened at {told.time.isoformat()}, ten years "
                    "or more from every time that its rows and their commits name",
                    "Look at the unit and the zone of `at`.",
                    telling.history,
                )


def _range(history: History) -> tuple[dt.datetime, dt.datetime]:
    named = [EXTRACTED, *(move.at for move in history.moves)]
    for row in (*history.beside, *(m.image for m in history.moves if m.image)):
        named += _moments(row.named.values())
    return min(named) - _APART, max(named) + _APART


def _moments(values: Iterable[object]) -> Iterator[dt.datetime]:
    for value in values:
        if isinstance(value, dt.datetime):
            yield value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        elif isinstance(value, dt.date):
            yield dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)


TIMES = Property("times", "events happen within ten years of what their rows say", _broken)
