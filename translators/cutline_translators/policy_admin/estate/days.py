"""Days as the system writes them, and arithmetic with them."""

from __future__ import annotations

import datetime as dt

import numpy as np

from cutline_translators.estate.moments import EXTRACT

TODAY = dt.datetime.fromtimestamp(EXTRACT, dt.UTC).date()
"""The day of the extract and of the cut."""
YESTERDAY = TODAY - dt.timedelta(days=1)


def plus(day: dt.date, days: int) -> dt.date:
    """The day `days` later; earlier if negative."""
    return day + dt.timedelta(days=days)


def anniversary(day: dt.date, years: int) -> dt.date:
    """The same day so many years later; no policy begins on the 29th of February."""
    return day.replace(year=day.year + years)


def between(rng: np.random.Generator, first: dt.date, last: dt.date) -> dt.date:
    """A day from `first` to `last`, both included; `first` where they are out of order."""
    return plus(first, int(rng.integers(0, max((last - first).days, 0) + 1)))


def moment(seconds: int) -> str:
    """`2026-11-01T02:00:00Z`, from seconds since 1970."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def keyed_in(rng: np.random.Generator, day: dt.date) -> str:
    """A time in office hours of a day, at the latest shortly before the extract."""
    midnight = int(dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC).timestamp())
    return moment(min(midnight + int(rng.integers(8 * 3600, 17 * 3600)), EXTRACT - 3600))


def day(text: object) -> dt.date:
    """The day of an ISO text."""
    return dt.date.fromisoformat(str(text))
