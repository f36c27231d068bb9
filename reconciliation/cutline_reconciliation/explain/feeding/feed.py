"""A feed of a cluster, and whether it explains the cluster's breaks. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline_reconciliation.explain.risk import LEAST_RATIO, LEAST_SHARE, Counts


@dataclass(frozen=True, order=True)
class FeedKind:
    """Breaks of one kind at a lower level, or the rows or events that one rule excluded."""

    level: str
    """record, state, source-row or event."""
    name: str
    """The aggregate; empty for a row whose aggregate is unknown."""
    kind: str
    """The kind of break; for a row or an event, the rule that excluded it."""
    column: str
    """The column of a break at state level; else empty."""

    @property
    def aside(self) -> bool:
        """Whether the feed is excluded rows or events, and no breaks."""
        return self.level in (SOURCE_ROW, EVENT)


@dataclass(frozen=True)
class Feed:
    """Breaks, rows or events of one kind on which subjects of a cluster depend in one way."""

    below: FeedKind
    counts: Counts
    """Broken and matching subjects (or decisions), and those among them that depend on the feed."""
    way: str
    """One of WAYS; ITSELF where every dependent subject is the feed's own."""
    causes: int
    """The number of distinct broken subjects, rows or events on which the cluster depends."""
    amount: Decimal | None
    """The sum of their amounts; null where none is a number."""
    clusters: tuple[str, ...]
    """The clusters of the feed's breaks, with the most subjects first; empty for rows, events."""
    rules: tuple[str, ...] = field(default=())
    """The rules that made the feed, with the most subjects first."""
    settled: int | None = None
    """Decisions of the cluster that become the legacy's once these breaks are removed.

    Null where removal was not tried, as for all states.
    """
    unsettled: int | None = None
    """Matching decisions that would then break; null likewise."""


def explanatory_feeds(feeds: Iterable[Feed]) -> list[Feed]:
    """The feeds that explain breaks, by settled decisions, then by dependent subjects.

    A feed explains where its removal settles decisions; where all broken subjects and no matching
    one depend on it; or where broken subjects depend on it LEAST_RATIO times as often, they are a
    share of LEAST_SHARE, and this is not likely by chance.
    """
    tried = list(feeds)
    return sorted((feed for feed in tried if _explains(feed, len(tried))), key=_place)


def feeds_to_show(feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """The feeds that a cluster shows: at most two; none if no feed explains it.

    The second best is shown only where the best leaves subjects of the cluster unexplained.
    """
    in_order = explanatory_feeds(feeds)
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
