"""Risk ratios of attributes: frequent among broken subjects, and rare among matching ones.

The risk ratio of an attribute is how many times as often a subject with it broke as one without it:
(a/(a+b)) / (c/(c+d)), as in MacroBase (Bailis et al., SIGMOD 2017) and DIFF (Abuzaid et al., VLDB
2018). It is 1 for an attribute without influence. The ratio is exact; its significance is tested in
`chance`. Pure Python.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Generic, TypeVar

from cutline_reconciliation.explain.chance import MOST_CHANCE, chance

LEAST_RATIO = Fraction(2)
"""The least risk ratio of a cause."""
LEAST_SHARE = Fraction(1, 10)
"""The least share of broken subjects with a cause."""
LEAST_SUBJECTS = 3
"""The least number of broken subjects with a cause; of one or two nothing follows."""
BETTER_THAN_PARTS = Fraction(3, 2)
"""A pair counts beside its parts only if its ratio is so many times that of each."""

_A = TypeVar("_A", bound=Hashable)


@dataclass(frozen=True)
class Counts:
    """Broken and matching subjects, with an attribute and in all."""

    broken_with: int
    """Broken subjects with the attribute: a."""
    matched_with: int
    """Matching subjects with the attribute: b."""
    broken: int
    """Broken subjects: a + c."""
    matched: int
    """Matching subjects: b + d."""

    def __post_init__(self) -> None:
        if not (0 <= self.broken_with <= self.broken and 0 <= self.matched_with <= self.matched):
            raise ValueError(f"a part is more than the whole, or less than nothing: {self}")

    @property
    def ratio(self) -> Fraction | None:
        """The exact risk ratio; None where no subject, or every subject, has the attribute.

        Where no subject without it broke (c = 0), the ratio is unbounded: c counts as one half,
        which gives the least ratio that the counts allow, and a greater one the more matches lack
        the attribute.
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
        """Whether enough broken subjects have the attribute."""
        return (
            self.broken_with >= LEAST_SUBJECTS
            and Fraction(self.broken_with, self.broken) >= LEAST_SHARE
        )

    def by_chance(self, tried: int) -> bool:
        """Whether the counts are not significant, as one of `tried` tests."""
        probability = chance(
            broken_with=self.broken_with,
            matched_with=self.matched_with,
            broken=self.broken,
            matched=self.matched,
        )
        return probability * tried > MOST_CHANCE


@dataclass(frozen=True)
class Cause(Generic[_A]):
    """One or two attributes together, with their counts and ratio."""

    attributes: tuple[_A, ...]
    counts: Counts
    ratio: Fraction


def causes(counted: Mapping[tuple[_A, ...], Counts], tried: int) -> list[Cause[_A]]:
    """The significant combinations, in the order of `likeliest`.

    `tried` is the number of single attributes that were tested; a pair is one of the pairs of them.
    """
    return [
        cause
        for cause in likeliest(counted)
        if not cause.counts.by_chance(comb(tried, len(cause.attributes)))
    ]


def likeliest(counted: Mapping[tuple[_A, ...], Counts]) -> list[Cause[_A]]:
    """The combinations with support and at least LEAST_RATIO, the likeliest first.

    A pair also has a greater ratio than each counted part. Of equal ratios the combination of more
    subjects comes first, then that of fewer attributes, then the first counted. Significance is not
    tested.
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
