"""What feeds the breaks of a cluster, and whether it explains them. Pure Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from cutline.tables.exception import EVENT, SOURCE_ROW
from cutline_reconciliation.explain.risk import LEAST_RATIO, LEAST_SHARE, Counts


@dataclass(frozen=True, order=True)
class Below:
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
    """What is of one kind and what subjects of a cluster depend on in one way."""

    below: Below
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
    found = list(feeds)
    return sorted((feed for feed in found if _explains(feed, len(found))), key=_place)


def worth_telling(feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """What is told of a cluster: what explains it best, and what does so next where that leaves
    some of its subjects unexplained; none where nothing explains it."""
    in_order = explaining(feeds)
    whole = in_order and in_order[0].counts.broken_with == in_order[0].counts.broken
    return tuple(in_order[: 1 if whole else 2])


def _explains(feed: Feed, tried: int) -> bool:
    told = feed.counts
    if feed.settled or (told.broken_with == told.broken and not told.matched_with):
        return True
    often = told.ratio is not None and told.ratio >= LEAST_RATIO
    enough = Fraction(told.broken_with, told.broken) >= LEAST_SHARE
    return often and enough and not told.by_chance(tried)


def _place(feed: Feed) -> tuple[int, int, Fraction, Below, str]:
    ratio = feed.counts.ratio or Fraction(0)
    return (-(feed.settled or 0), -feed.counts.broken_with, -ratio, feed.below, feed.way)
