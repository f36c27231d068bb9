"""Decimals in a literal table: exact up to the last digit of the column's type."""

from __future__ import annotations

import pytest
from pyspark.sql import types as T

from cutline.errors import ConfigurationError
from cutline.testing.literals import literal

NINES = "9" * 38


@pytest.mark.parametrize(
    ("text", "scale"), [(NINES, 0), (f"-{NINES[2:]}.99", 2), (f"0.{NINES}", 38)]
)
def test_a_decimal_of_every_digit_is_as_it_was(text: str, scale: int) -> None:
    assert str(literal(text, T.DecimalType(38, scale), "amount")) == text


@pytest.mark.parametrize("text", [f"{NINES}9", "1e38", "0.1", "NaN", "Infinity"])
def test_what_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"amount: .* is no decimal\(38,0\)"):
        literal(text, T.DecimalType(38, 0), "amount")
