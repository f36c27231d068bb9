"""Rates never lie: cut off, never rounded up, and some is never shown as none."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline_reports.bullet import bullet
from cutline_reports.model import GateRow, Ratio
from cutline_reports.rates import (
    count_text,
    decimal_text,
    pace_text,
    part_text,
    rate_text,
    seconds_text,
    share_text,
)

WHOLES = st.integers(min_value=1, max_value=10**12)


@st.composite
def ratios(draw: st.DrawFn) -> Ratio:
    whole = draw(WHOLES)
    near = st.integers(min_value=max(0, whole - 3), max_value=whole)
    return Ratio(draw(st.one_of(st.integers(0, whole), near, st.integers(0, min(3, whole)))), whole)


def number(text: str) -> Fraction:
    return Fraction(text.removesuffix("\u00a0%"))


@given(ratios())
def test_a_rate_is_never_shown_above_what_it_is(ratio: Ratio) -> None:
    shown, true = number(rate_text(ratio)), Fraction(ratio.part, ratio.whole) * 100
    assert shown <= true
    assert (shown == 100) == (ratio.part == ratio.whole)
    assert true - shown < Fraction(1, 100)


@given(ratios())
def test_some_is_never_shown_as_none(ratio: Ratio) -> None:
    text = part_text(ratio)
    if text.startswith("<"):
        assert 0 < Fraction(ratio.part, ratio.whole) * 100 < Fraction(1, 10**6)
    else:
        assert (number(text) == 0) == (ratio.part == 0)
        assert (number(text) == 100) == (ratio.part == ratio.whole)


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 0, "—"),
        (0, 5, "0.00 %"),
        (5, 5, "100 %"),
        (9_998, 10_000, "99.98 %"),
        (99_999, 100_000, "99.999 %"),
        (999_999_999, 1_000_000_000, "99.999999 %"),
        (1_012, 1_204, "84.05 %"),
        (1, 3, "33.33 %"),
    ],
)
def test_rates_by_example(part: int, whole: int, text: str) -> None:
    assert rate_text(Ratio(part, whole)).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 0, "—"),
        (0, 5, "0 %"),
        (5, 5, "100 %"),
        (88, 131_207, "0.06 %"),
        (7, 121_930, "0.005 %"),
        (1, 10**12, "< 0.000001 %"),
    ],
)
def test_shares_by_example(part: int, whole: int, text: str) -> None:
    assert part_text(Ratio(part, whole)).replace("\u00a0", " ") == text


def test_numbers_as_people_read_them() -> None:
    assert count_text(1234567) == "1,234,567"
    assert decimal_text(Decimal("1306.000000"), signed=True) == "+1,306"
    assert decimal_text(Decimal("-0.50"), signed=True) == "-0.5"
    assert decimal_text(Decimal("0"), signed=True) == "0"
    assert decimal_text(Decimal("1000")) == "1,000"
    assert share_text(Decimal("0.995")) == "99.5\u00a0%"
    assert share_text(Decimal("1")) == "100\u00a0%"
    assert [seconds_text(s) for s in (None, 0.04, 12.4, 200.0)] == [
        "—",
        "0.0\u00a0s",
        "12\u00a0s",
        "3\u00a0min 20\u00a0s",
    ]
    assert [pace_text(p) for p in (None, 12_345.6, 9.87)] == ["—", "12,300", "10"]


def gate(part: int, whole: int, required: str, kind: str) -> GateRow:
    return GateRow(
        "g", True, False, kind, "", measured=Ratio(part, whole), required=Decimal(required)
    )


@given(ratios(), st.decimals(0, 1, places=4), st.sampled_from(["rate", "cap"]))
def test_a_bullet_stays_in_its_chart_and_keeps_the_order(
    ratio: Ratio, required: Decimal, kind: str
) -> None:
    chart = bullet(gate(ratio.part, ratio.whole, str(required), kind))
    assert chart is not None
    assert 0 <= chart.measured <= 100
    assert 0 <= chart.required <= 100
    exact = Fraction(ratio.part, ratio.whole)
    if exact > Fraction(required):
        assert chart.measured >= chart.required
    elif exact < Fraction(required):
        assert chart.measured <= chart.required


def test_no_bullet_without_a_measure() -> None:
    assert bullet(gate(0, 0, "1", "rate")) is None
    assert bullet(GateRow("g", True, False, "cap", "")) is None
