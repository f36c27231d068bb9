"""What feeds the breaks of a cluster, and whether that explains them. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline_reconciliation.explain.risk import LEAST_RATIO, LEAST_SHARE, Counts


@dataclass(frozen=True, order=True)
class FeedKind:
    """Breaks of one kind at a level below, or what one rule put aside on the way."""

    level: str
    """record, state, source-row or event."""
    name: str
    """The aggregate; empty where a row does not tell."""
    kind: str
    """The kind of break; the rule that put a row or an event aside."""
    column: str
    """Empty but at state level."""

    @property
    def aside(self) -> bool:
        """Whether it is rows or events that were put aside, and no breaks."""
        return self.level in (SOURCE_ROW, EVENT)


@dataclass(frozen=True)
class Feed:
    """Breaks, rows or events of one kind that subjects of a cluster depend on in one way."""

    below: FeedKind
    counts: Counts
    """Subjects (or decisions) that break or match, and those of them that depend on such."""
    way: str
    """One of WAYS; ITSELF where each of them has it itself."""
    causes: int
    """Distinct subjects that break so and that subjects of the cluster depend on; of what was put
    aside distinct rows or events."""
    amount: Decimal | None
    """The sum of their amounts; null where none is a number."""
    clusters: tuple[str, ...]
    """The clusters of breaks, those of most subjects first; none of what was put aside."""
    rules: tuple[str, ...] = field(default=())
    """What made them, likewise."""
    settled: int | None = None
    """Decisions of the cluster that are the legacy's once these breaks are taken away; null where
    that was not tried, as it never is of states."""
    unsettled: int | None = None
    """Decisions that match and would not then; null likewise."""


def explaining(feeds: Iterable[Feed]) -> list[Feed]:
    """Those that explain breaks, by how many they settle, then by how many depend on them.

    They explain where taking them away settles decisions; where all that broke depend on them and
    none that matches does; or where those that broke do so LEAST_RATIO times as often, are a share
    of LEAST_SHARE, and chance would not easily bring it about.
    """
    tried = list(feeds)
    return sorted((feed for feed in tried if _explains(feed, len(tried))), key=_place)


def worth_telling(feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """The feeds that a cluster shows: the one that explains it best, and the second best if that
    leaves subjects of the cluster unexplained; none if no feed explains it."""
    in_order = explaining(feeds)
    whole = in_order and in_order[0].counts.broken_with == in_order[0].counts.broken
    return tuple(in_order[: 1 if whole else 2])


def _explains(feed: Feed, tried: int) -> bool:
    counts = feed.counts
    if feed.settled or (counts.broken_with == counts.broken and not counts.matched_with):
        return True
    often_enough = counts.ratio is not None and counts.ratio >= LEAST_RATIO
    enough = Fraction(counts.broken_with, counts.broken) >= LEAST_SHARE
    return often_enough and enough and not counts.by_chance(tried)


def _place(feed: Feed) -> tuple[int, int, Fraction, FeedKind, str]:
    ratio = feed.counts.ratio or Fraction(0)
    return (-(feed.settled or 0), -feed.counts.broken_with, -ratio, feed.below, feed.way)
