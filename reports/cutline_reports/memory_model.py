"""The part of a report on previous runs and on waivers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class LevelChange:
    """The breaks of one level by their change in one run."""

    level: str
    """record, state or outcome."""
    opened: int
    """Breaks that no earlier run had."""
    persisting: int
    """Breaks that the previous run had open."""
    reopened: int
    """Breaks that had been fixed before."""
    fixed: int
    """Breaks that the previous run had open, and this one has not."""
    open: int
    """Opened, persisting and reopened breaks."""
    waived: int
    """Open breaks that a waiver takes."""


@dataclass(frozen=True)
class TrendPoint:
    """One run in the trend of its slice."""

    run_id: str
    place: int
    """1 for the first run of the slice."""
    recorded_at: dt.datetime
    """The run's knowledge time."""
    levels: tuple[LevelChange, ...]
    """record, state, outcome."""

    @property
    def open(self) -> int:
        """Open breaks of all levels."""
        return sum(level.open for level in self.levels)

    @property
    def waived(self) -> int:
        """Waived breaks of all levels."""
        return sum(level.waived for level in self.levels)


@dataclass(frozen=True)
class Change:
    """The change since the previous run, and the trend up to this one."""

    compared_with: str | None
    """The previous run; None for a slice's first run, or without its history in the lake."""
    gone: tuple[str, ...]
    """Runs between the two whose history is no longer in the lake, newest first."""
    levels: tuple[LevelChange, ...]
    """record, state, outcome."""
    trend: tuple[TrendPoint, ...]
    """The last runs, this one included, oldest first."""


@dataclass(frozen=True)
class WaiverRow:
    """A waiver and its result in this run."""

    name: str
    passed: bool
    """False if it has expired, is exceeded or is unused."""
    sentence: str
    """The gate's verdict on it."""
    expired: bool
    """Whether its last day was before the run's; it then takes no break."""
    match: Mapping[str, str]
    """Its match by key, as texts."""
    reason: str
    owner: str
    ticket: str
    expires: str
    """Its last day, in UTC."""
    taken: int
    """Breaks that it took, or would have taken if it had not expired."""
    max_breaks: int
    money: Decimal
    """The sum of their absolute amounts."""
    max_money: Decimal
    without_amount: int
    """The number of them without an amount."""

    @property
    def of_exceptions(self) -> bool:
        """Whether it is of single exceptions: then `taken` and `max_breaks` count these."""
        return "exceptions" in self.match
