"""What feeds the decisions of a cluster, and whether it explains them. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from cutline_reconciliation.explain.risk import LEAST_RATIO, LEAST_SHARE, Counts


@dataclass(frozen=True, order=True)
class Below:
    """Breaks of one kind at a level below."""

    level: str
    name: str
    """The aggregate."""
    kind: str
    column: str
    """Empty at record level."""


@dataclass(frozen=True)
class Feed:
    """Breaks of one kind that decisions of a cluster look at."""

    below: Below
    counts: Counts
    """Decisions that break or match, and those of them that look at such a break."""
    own: bool
    """Whether each of them looks at the very subject that it decides on."""
    subjects: int
    """Distinct subjects that break so and that decisions of the cluster look at."""
    amount: Decimal | None
    """The sum of their amounts; null where none is a number."""
    clusters: tuple[str, ...]
    """Their clusters, those of most subjects first."""
    rules: tuple[str, ...] = field(default=())
    """What made them, likewise."""
    settled: int | None = None
    """Decisions of the cluster that are the legacy's once these breaks are taken away; null where
    that was not tried."""
    unsettled: int | None = None
    """Decisions that match and would not then; null likewise."""


def explaining(feeds: Iterable[Feed]) -> list[Feed]:
    """Those that explain decisions, by how many they settle, then by how many look at them.

    They explain where taking them away settles decisions; where all that broke look at them and
    none that matches does; or where those that broke do so LEAST_RATIO times as often, are a share
    of LEAST_SHARE, and chance would not easily bring it about.
    """
    found = list(feeds)
    return sorted((feed for feed in found if _explains(feed, len(found))), key=_place)


def _explains(feed: Feed, tried: int) -> bool:
    told = feed.counts
    if feed.settled or (told.broken_with == told.broken and not told.matched_with):
        return True
    often = told.ratio is not None and told.ratio >= LEAST_RATIO
    enough = Fraction(told.broken_with, told.broken) >= LEAST_SHARE
    return often and enough and not told.by_chance(tried)


def _place(feed: Feed) -> tuple[int, int, Fraction, Below]:
    ratio = feed.counts.ratio or Fraction(0)
    return (-(feed.settled or 0), -feed.counts.broken_with, -ratio, feed.below)
