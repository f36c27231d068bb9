"""Numbers in sentences: amounts, and shares as percentages that never flatter."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

_DIGITS = range(2, 13)


def amount_text(number: Decimal, unit: str) -> str:
    """`1,234.5 EUR`; without a unit where there is none."""
    text = f"{number:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}".rstrip()


def exact_fraction(configured: float) -> Fraction:
    """The number as it is written in the file: 0.999, not the nearest binary one."""
    return Fraction(str(configured))


def limit_text(limit: Fraction) -> str:
    """A configured share, in full."""
    return _percent(limit, floor, limit)


def at_least_text(share: Fraction, limit: Fraction) -> str:
    """A share that should be at least `limit`, rounded down, on its true side of the limit."""
    return _percent(share, floor, limit)


def at_most_text(share: Fraction, limit: Fraction) -> str:
    """A share that should be at most `limit`, rounded up, on its true side of the limit."""
    return _percent(share, ceil, limit)


def _percent(share: Fraction, rounded: Callable[[Fraction], int], limit: Fraction) -> str:
    """Two decimals, or as many more as it takes to stand to the limit as the share itself does."""
    text = ""
    for digits in _DIGITS:
        shown = Fraction(rounded(share * 100 * 10**digits), 100 * 10**digits)
        text = f"{Decimal(shown.numerator * 100) / Decimal(shown.denominator):,.{digits}f}"
        if _order(shown, limit) == _order(share, limit):
            break
    return f"{text.rstrip('0').rstrip('.')} %"


def _order(share: Fraction, limit: Fraction) -> int:
    return (share > limit) - (share < limit)
