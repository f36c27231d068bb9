"""The runs of slices by day: the grid of the index."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from cutline_reports.site.model import RunEntry, SliceEntry

MOST = 10
"""The grid has so many days, the newest on which anything was run."""


def grid_days(slices: Iterable[SliceEntry]) -> tuple[str, ...]:
    """The newest days in UTC on which any of the listed runs was begun, oldest first."""
    days = {day_of(run.created_at) for entry in slices for run in entry.runs}
    return tuple(sorted(days)[-MOST:])


def runs_of_day(entry: SliceEntry, day: str) -> tuple[RunEntry, ...]:
    """The runs of a slice that were begun on a day, oldest first."""
    return tuple(run for run in reversed(entry.runs) if day_of(run.created_at) == day)


def day_of(moment: dt.datetime) -> str:
    """The day of a moment in UTC, as 2026-11-01."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d}"


def clock_of(moment: dt.datetime) -> str:
    """The time of day of a moment in UTC, as 06:00."""
    return f"{moment.astimezone(dt.UTC):%H:%M}"
