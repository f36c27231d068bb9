"""Risk ratios: what those that broke have and those that match hardly have. Pure Python.

An attribute's risk ratio is how many times as often a subject with it broke as one without it:
(a/(a+b)) / (c/(c+d)), as in MacroBase (Bailis et al., SIGMOD 2017) and DIFF (Abuzaid et al., VLDB
2018). It is 1 for what says nothing. The ratio is exact; that it is no chance, `chance` judges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Generic, TypeVar

from cutline_reconciliation.explain.chance import MOST_CHANCE, chance

LEAST_RATIO = Fraction(2)
"""What has less is no cause."""
LEAST_SHARE = Fraction(1, 10)
"""A cause is one of at least so many of those that broke."""
LEAST_SUBJECTS = 3
"""And of at least so many: of one or two subjects much is true, and nothing follows."""
BETTER_THAN_PARTS = Fraction(3, 2)
"""A pair says more than each of its parts only if its ratio is so many times theirs."""

_A = TypeVar("_A", bound=Hashable)


@dataclass(frozen=True)
class Counts:
    """How many subjects broke and match, with an attribute and in all."""

    broken_with: int
    """Subjects that broke and have the attribute: a."""
    matched_with: int
    """Subjects that match and have it: b."""
    broken: int
    """Subjects that broke: a + c."""
    matched: int
    """Subjects that match: b + d."""

    def __post_init__(self) -> None:
        if not (0 <= self.broken_with <= self.broken and 0 <= self.matched_with <= self.matched):
            raise ValueError(f"a part is more than the whole, or less than nothing: {self}")

    @property
    def ratio(self) -> Fraction | None:
        """The risk ratio, exactly; None where there is nothing to compare with.

        That is where no subject has the attribute, or every one has. Where subjects lack it and
        none of them broke (c = 0), the true ratio has no bound: c counts as one half, which gives
        the least that the counts can bear, and more where more match without it.
        """
        with_it = self.broken_with + self.matched_with
        without = Fraction(self.broken + self.matched - with_it)
        if not with_it or not without:
            return None
        broken_without = Fraction(self.broken - self.broken_with)
        if not broken_without:
            broken_without = Fraction(1, 2)
            without = broken_without + self.matched - self.matched_with
        return Fraction(self.broken_with, with_it) / (broken_without / without)

    @property
    def supported(self) -> bool:
        """Whether enough of those that broke have it."""
        return (
            self.broken_with >= LEAST_SUBJECTS
            and Fraction(self.broken_with, self.broken) >= LEAST_SHARE
        )

    def by_chance(self, tried: int) -> bool:
        """Whether one of `tried` attributes that say nothing would easily stand out as much."""
        probability = chance(
            broken_with=self.broken_with,
            matched_with=self.matched_with,
            broken=self.broken,
            matched=self.matched,
        )
        return probability * tried > MOST_CHANCE


@dataclass(frozen=True)
class Cause(Generic[_A]):
    """Attributes that hold together, one or two, and what speaks for them."""

    attributes: tuple[_A, ...]
    counts: Counts
    ratio: Fraction


def causes(counted: Mapping[tuple[_A, ...], Counts], tried: int) -> list[Cause[_A]]:
    """The combinations that are causes, in the order of `likeliest`.

    `tried` is how many single attributes might have been one: of what stands out, what would easily
    do so by chance is no cause. A pair might have been any two of them.
    """
    return [
        cause
        for cause in likeliest(counted)
        if not cause.counts.by_chance(comb(tried, len(cause.attributes)))
    ]


def likeliest(counted: Mapping[tuple[_A, ...], Counts]) -> list[Cause[_A]]:
    """The combinations that stand out, the likeliest first, whether or not by chance.

    Such a one has support and a ratio of at least LEAST_RATIO; a pair also says more than each of
    its parts that was counted. Of equal ratios the one of more subjects comes first, then the one
    of fewer attributes, then the one that was counted first.
    """
    candidates = [
        Cause(attributes, counts, ratio)
        for attributes, counts in counted.items()
        if counts.supported
        and (ratio := counts.ratio) is not None
        and ratio >= LEAST_RATIO
        and not _redundant(attributes, ratio, counted)
    ]
    return sorted(candidates, key=lambda c: (-c.ratio, -c.counts.broken_with, len(c.attributes)))


def _redundant(
    attributes: tuple[_A, ...], ratio: Fraction, counted: Mapping[tuple[_A, ...], Counts]
) -> bool:
    if len(attributes) == 1:
        return False
    return any(ratio < BETTER_THAN_PARTS * part for part in _ratios(attributes, counted))


def _ratios(
    attributes: Iterable[_A], counted: Mapping[tuple[_A, ...], Counts]
) -> Iterable[Fraction]:
    for attribute in attributes:
        counts = counted.get((attribute,))
        if counts is not None and counts.ratio is not None:
            yield counts.ratio
