"""A fold's decimals: exact up to the last digit of the column's type."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cutline.context.fold_value import exact_fold_value

NINES = "9" * 38


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("decimal(38,0)", Decimal(NINES)),
        ("decimal(38,0)", Decimal(f"-{NINES}")),
        ("decimal(38,38)", Decimal(f"0.{NINES}")),
        ("decimal(38,6)", Decimal(f"{NINES[6:]}.999999")),
    ],
)
def test_a_decimal_of_every_digit_is_as_it_was(kind: str, value: Decimal) -> None:
    assert str(exact_fold_value(kind, value)) == str(value)


@pytest.mark.parametrize("value", [Decimal(f"{NINES}9"), Decimal("1e38"), Decimal("1e500")])
def test_a_digit_more_is_refused(value: Decimal) -> None:
    with pytest.raises(ValueError, match="more than 38 digits"):
        exact_fold_value("decimal(38,0)", value)
