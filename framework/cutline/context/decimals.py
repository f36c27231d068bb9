"""Decimals of as many digits as a column has: Python's own context rounds to 28."""

from __future__ import annotations

from decimal import Context, Decimal

WIDE = Context(prec=80)
"""No decimal of a column is rounded by it, nor the sum of two."""


def fitted_decimal(number: Decimal, digits: int, places: int) -> Decimal:
    """The number with so many decimal places, of so many digits.

    ValueError, saying what it has, for one that does not fit as it is.
    """
    if not number.is_finite():
        raise ValueError("it is no number")
    # Not `abs`, which rounds to 28 digits.
    if number.copy_abs() >= Decimal(10) ** (digits - places):
        raise ValueError(f"it has more than {digits} digits")
    exact = number.quantize(Decimal(1).scaleb(-places), context=WIDE)
    if exact != number:
        raise ValueError(f"it has more than {places} decimal places")
    return exact
