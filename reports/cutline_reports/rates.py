"""Numbers as text, and percentages that are never rounded up.

100 % is shown only for all, 0 % only for none.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from cutline_reports.model import Ratio

NOTHING = "—"
_FEWEST, _MOST = 2, 6
# A thin space would be finer, but not every font on every machine has one.
_UNIT = "\u00a0%"


def count_text(number: int) -> str:
    """A count with thousands separators: 1,234,567."""
    return f"{number:,}"


def decimal_text(number: Decimal, *, signed: bool = False) -> str:
    """A decimal in plain notation with thousands separators, without trailing zeros."""
    text = f"{number:+,f}" if signed and number else f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount_text(number: Decimal | None, unit: str) -> str:
    """An amount with its unit, such as 1,234.5 EUR; a dash for None."""
    return NOTHING if number is None else f"{decimal_text(number)} {unit}".rstrip()


def share_text(share: Decimal) -> str:
    """A threshold in full: Decimal('0.995') is 99.5 %."""
    return decimal_text(share * 100) + _UNIT


def rate_text(ratio: Ratio) -> str:
    """Agreement in percent, truncated, such as 99.98 %; a dash where nothing was compared.

    Two digits, and as many more (up to six) as are needed to differ from 100 %.
    """
    exact = ratio.exact
    if exact is None:
        return NOTHING
    if exact == 1:
        return "100" + _UNIT
    return _cut_off(exact, _digits(1 - exact)) + _UNIT


def part_text(ratio: Ratio) -> str:
    """A share in percent, such as that of exceptions; `< 0.000001 %` for less than that."""
    exact = ratio.exact
    if exact is None:
        return NOTHING
    if exact in (0, 1):
        return f"{int(exact) * 100}{_UNIT}"
    digits = _digits(exact)
    if exact * 100 * 10**digits < 1:
        return f"<\u00a0{Decimal(1).scaleb(-_MOST):f}{_UNIT}"
    return _cut_off(exact, digits) + _UNIT


def _digits(rest: Fraction) -> int:
    """The number of digits of a percentage that make `rest` visible."""
    digits = _FEWEST
    while digits < _MOST and rest * 100 * 10**digits < 1:
        digits += 1
    return digits


def _cut_off(exact: Fraction, digits: int) -> str:
    scaled = exact.numerator * 100 * 10**digits // exact.denominator
    return f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"


def seconds_text(seconds: float | None) -> str:
    """Wall time, such as 0.4 s, 12 s, 3 min 20 s; a dash for None."""
    if seconds is None:
        return NOTHING
    if seconds < 9.95:
        return f"{seconds:.1f}\u00a0s"
    whole = round(seconds)
    return f"{whole}\u00a0s" if whole < 120 else f"{whole // 60}\u00a0min {whole % 60}\u00a0s"


def pace_text(rows_per_second: float | None) -> str:
    """Rows per second to three significant digits, such as 12,300; a dash for None."""
    if rows_per_second is None:
        return NOTHING
    return f"{float(f'{rows_per_second:.3g}'):,.0f}"
