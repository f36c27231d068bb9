"""The number type that holds texts of numbers without loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import types as T

from cutline.spark.number_text import canonical_sql
from cutline_reconciliation.compare.columns.numbers import MAX_DIGITS

_LONG = 18
"""The digits of any long."""


@dataclass(frozen=True)
class ValueDigits:
    """The most digits of a column's numbers before and after the point."""

    whole: int
    fraction: int
    endless: bool
    """Whether some have an exponent that no decimal has room for."""

    def kind(self) -> T.DataType | None:
        """The narrowest type that holds them all exactly; None where none does."""
        if self.endless:
            return None
        if not self.fraction and self.whole <= _LONG:
            return T.LongType()
        if self.whole + self.fraction <= MAX_DIGITS:
            return T.DecimalType(self.whole + self.fraction, self.fraction)
        return None


def digits_sql(text: str, where: str = "true") -> str:
    """SQL that counts the digits of texts of numbers, as a struct for `value_digits`."""
    written = f"CASE WHEN {text} RLIKE '[eE]' THEN {canonical_sql(text)} ELSE {text} END"
    whole = rf"length(regexp_extract({written}, r'^-?(\d+)', 1))"
    fraction = rf"length(regexp_extract({written}, r'\.(\d*[1-9])', 1))"
    return (
        f"struct(max({whole}) FILTER (WHERE {where}) AS whole,"
        f" max({fraction}) FILTER (WHERE {where}) AS fraction,"
        f" bool_or({written} RLIKE '[eE]') FILTER (WHERE {where}) AS endless,"
        f" bool_or({text} NOT RLIKE '[0-9]') FILTER (WHERE {where}) AS odd)"
    )


def value_digits(row: Any) -> ValueDigits | None:
    """The digits that `digits_sql` counted; None if one of the texts is no number, such as NaN."""
    if row["odd"]:
        return None
    return ValueDigits(row["whole"] or 0, row["fraction"] or 0, bool(row["endless"]))
