"""Numbers in sentences: amounts, and percentages that are rounded to the cautious side."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

_DIGITS = range(2, 13)


def amount_text(number: Decimal, unit: str) -> str:
    """An amount as text: `1,234.5 EUR`, or without a unit where there is none."""
    text = f"{number:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}".rstrip()


def exact_fraction(configured: float) -> Fraction:
    """The configured number as it is written, such as 0.999, not as the nearest binary one."""
    return Fraction(str(configured))


def limit_text(limit: Fraction) -> str:
    """A configured share in percent, with all its digits."""
    return _percent(limit, floor, limit)


def at_least_text(share: Fraction, limit: Fraction) -> str:
    """A share with a lower `limit`, in percent, rounded down, on the true side of the limit."""
    return _percent(share, floor, limit)


def at_most_text(share: Fraction, limit: Fraction) -> str:
    """A share with an upper `limit`, in percent, rounded up, on the true side of the limit."""
    return _percent(share, ceil, limit)


def _percent(share: Fraction, rounded: Callable[[Fraction], int], limit: Fraction) -> str:
    """Two decimals, or as many as the rounded share needs to be on its true side of the limit."""
    text = ""
    for digits in _DIGITS:
        shown = Fraction(rounded(share * 100 * 10**digits), 100 * 10**digits)
        text = f"{Decimal(shown.numerator * 100) / Decimal(shown.denominator):,.{digits}f}"
        if _order(shown, limit) == _order(share, limit):
            break
    return f"{text.rstrip('0').rstrip('.')} %"


def _order(share: Fraction, limit: Fraction) -> int:
    return (share > limit) - (share < limit)
