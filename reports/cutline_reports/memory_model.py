"""What a report says of the runs before it, and of the breaks that somebody accepts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class LevelChange:
    """What became of the breaks of one level in one run."""

    level: str
    """record, state or outcome."""
    opened: int
    """Breaks that no run before found."""
    persisting: int
    """Breaks that the run before had open."""
    reopened: int
    """Breaks that were fixed before."""
    fixed: int
    """Breaks that the run before had open, and this one not."""
    open: int
    """Opened, persisting and reopened."""
    waived: int
    """Those of them that a waiver takes."""


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
        """Waived ones of all levels."""
        return sum(level.waived for level in self.levels)


@dataclass(frozen=True)
class Change:
    """The change since the run before, and the trend up to this one."""

    compared_with: str | None
    """The run before; None for the first of the slice, or if no memory of it is left."""
    gone: tuple[str, ...]
    """Runs between the two whose memory is no longer in the lake, newest first."""
    levels: tuple[LevelChange, ...]
    """record, state, outcome."""
    trend: tuple[TrendPoint, ...]
    """The last runs, this one included, oldest first."""


@dataclass(frozen=True)
class WaiverRow:
    """A waiver, and what it came to."""

    name: str
    passed: bool
    """False if it has expired, is exceeded or is unused."""
    sentence: str
    """What the gate says of it."""
    expired: bool
    """Whether its last day was before the run's; then no break names it."""
    match: Mapping[str, str]
    """Which breaks it is for, key by key, as text."""
    reason: str
    owner: str
    ticket: str
    expires: str
    """The last day on which it holds, in UTC."""
    taken: int
    """Breaks that it took; of an expired one, that it would have taken."""
    max_breaks: int
    money: Decimal
    """The amounts of these without sign, summed."""
    max_money: Decimal
    without_amount: int
    """How many of these have no amount."""
