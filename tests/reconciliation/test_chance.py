"""Fisher's exact test: against the tea that it was made for, and against counting all ways."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline_reconciliation.explain.chance import chance

few = st.integers(0, 40)


@pytest.mark.parametrize(("right", "of_seventy"), [(4, 1), (3, 17)])
def test_the_lady_tasting_tea(right: int, of_seventy: int) -> None:
    # Of eight cups four had the milk first; she names four.
    probability = chance(broken_with=right, matched_with=4 - right, broken=4, matched=4)
    assert probability == pytest.approx(of_seventy / 70, rel=1e-12)


@given(few, few, few, few)
def test_as_by_counting_every_way(a: int, b: int, c: int, d: int) -> None:
    probability = chance(broken_with=a, matched_with=b, broken=a + c, matched=b + d)
    whole, having, broken = a + b + c + d, a + b, a + c
    if a * whole <= having * broken:
        assert probability == 1
    else:
        ways = sum(
            comb(having, k) * comb(whole - having, broken - k)
            for k in range(a, min(having, broken) + 1)
        )
        assert probability == pytest.approx(ways / comb(whole, broken), rel=1e-9)


def test_millions_of_subjects_are_as_quick_as_few() -> None:
    assert chance(broken_with=0, matched_with=0, broken=0, matched=0) == 1
    every = chance(broken_with=10**6, matched_with=0, broken=10**6, matched=10**9)
    assert every == 0
    slight = chance(broken_with=1_001_000, matched_with=10**9, broken=2 * 10**6, matched=2 * 10**9)
    # 1,000 more than expected are 1.41 standard deviations: 0.0786 in the normal distribution.
    assert slight == pytest.approx(0.0786, abs=0.001)
