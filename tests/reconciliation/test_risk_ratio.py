"""Risk ratios: exact on counts, with a rule for empty cells; what says no more, or is chance, is left out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline_reconciliation.explain.risk import LEAST_RATIO, Counts, causes, likeliest

numbers = st.integers(0, 10**12)


@pytest.mark.parametrize(
    ("broken_with", "matched_with", "broken", "matched", "ratio"),
    [
        # 98 of 100 broke with it, 3 of 1000 that match have it: (98/101) / (2/999).
        (98, 3, 100, 1000, Fraction(98, 101) / Fraction(2, 999)),
        (1, 1, 2, 2, Fraction(1)),
        (0, 5, 10, 10, Fraction(0)),
        # Nobody has it, or everybody: there is nothing to compare with.
        (0, 0, 10, 10, None),
        (10, 10, 10, 10, None),
        (10, 0, 10, 0, None),
        # All that broke have it: of those without it one half counts as broken.
        (10, 0, 10, 90, Fraction(181)),
        (10, 45, 10, 90, Fraction(10, 55) / (Fraction(1, 2) / Fraction(91, 2))),
    ],
)
def test_the_ratio_is_exact(
    broken_with: int, matched_with: int, broken: int, matched: int, ratio: Fraction | None
) -> None:
    assert Counts(broken_with, matched_with, broken, matched).ratio == ratio


@given(numbers, numbers, numbers, numbers)
def test_it_is_the_quotient_of_two_shares(a: int, b: int, c: int, d: int) -> None:
    ratio = Counts(a, b, a + c, b + d).ratio
    if a + b == 0 or c + d == 0:
        assert ratio is None
    elif c:
        assert ratio == Fraction(a, a + b) / Fraction(c, c + d)
    else:
        # One more that broke without it would make it less; nothing makes it endless.
        assert ratio is not None
        assert ratio >= (Counts(a, b, a + 1, b + d).ratio or 0)


@given(numbers, numbers, numbers, numbers)
def test_who_has_it_and_who_has_it_not_are_mirrored(a: int, b: int, c: int, d: int) -> None:
    ratio, mirrored_ratio = Counts(a, b, a + c, b + d).ratio, Counts(c, d, a + c, b + d).ratio
    if a and c and ratio is not None and mirrored_ratio is not None:
        assert ratio * mirrored_ratio == 1


@pytest.mark.parametrize("counts", [(2, 0, 1, 0), (0, 2, 0, 1), (-1, 0, 1, 1)])
def test_a_part_is_never_more_than_the_whole(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="a part is more than the whole"):
        Counts(*counts)


def test_the_likeliest_cause_is_first() -> None:
    counted = {
        ("bundle",): Counts(98, 3, 100, 1000),
        ("web",): Counts(60, 500, 100, 1000),
        ("rare",): Counts(9, 0, 100, 1000),
        ("one of them",): Counts(1, 0, 4, 1000),
    }
    likely_causes = causes(counted, tried=4)
    assert [cause.attributes for cause in likely_causes] == [("bundle",)]
    assert likely_causes[0].counts.broken_with == 98
    assert all(cause.ratio >= LEAST_RATIO for cause in likely_causes)


def test_a_pair_stays_only_where_it_says_more_than_its_parts() -> None:
    alone = {("a",): Counts(50, 500, 100, 1000), ("b",): Counts(50, 500, 100, 1000)}
    together = alone | {("a", "b"): Counts(50, 0, 100, 1000)}
    assert [c.attributes for c in causes(together, tried=2)] == [("a", "b")]
    # All of `a` is `b`: the pair has the same counts and is no news.
    coinciding = {("a",): Counts(90, 10, 100, 1000), ("a", "b"): Counts(90, 10, 100, 1000)}
    assert [c.attributes for c in causes(coinciding, tried=2)] == [("a",)]


def test_of_equal_ratios_more_subjects_then_fewer_attributes_come_first() -> None:
    counted = {
        ("x", "y"): Counts(10, 0, 10, 90),
        ("z",): Counts(10, 0, 10, 90),
        ("a",): Counts(10, 0, 10, 90),
    }
    assert [c.attributes for c in causes(counted, tried=3)] == [("z",), ("a",), ("x", "y")]


def test_what_two_of_eight_have_is_no_cause_however_high_its_ratio() -> None:
    few = Counts(2, 0, 8, 127)
    assert few.ratio == Fraction(133, 6)
    assert not few.supported
    assert causes({("bundle", "card"): few}, tried=2) == []


def test_what_stands_out_by_chance_is_no_cause_where_much_was_tried() -> None:
    # Three of eight have it, and two of the 127 that match: once in 600 by chance.
    counted = {("card",): Counts(3, 2, 8, 127)}
    assert [c.attributes for c in causes(counted, tried=20)] == [("card",)]
    assert causes(counted, tried=40) == []
    assert [c.attributes for c in likeliest(counted)] == [("card",)]
    # A pair is one of as many as can be made of what was tried.
    assert causes({("card", "web"): Counts(3, 2, 8, 127)}, tried=20) == []
