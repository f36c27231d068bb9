"""The values that a fold may give a column of its type: exactly, or not at all."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from numbers import Integral

from cutline.context.decimals import fitted_decimal


def exact_fold_value(kind: str, value: object) -> object:
    """The value as the column holds it; null stays null.

    ValueError, saying what the value is instead, for one that the type would change.
    """
    name = kind.partition("(")[0].strip()
    if value is None:
        return None
    if isinstance(value, bool):
        if name == "boolean":
            return value
        raise ValueError("it is of bool")
    if name == "bigint" and isinstance(value, Integral):
        return _whole(int(value))
    if name == "decimal" and isinstance(value, Decimal | int):
        return _decimal(kind, Decimal(value))
    if name == "timestamp" and isinstance(value, dt.datetime):
        return value
    if name == "date" and isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if name == "string" and isinstance(value, str):
        return value
    raise ValueError(f"it is of {type(value).__name__}")


def _whole(number: int) -> int:
    if not -(2**63) <= number < 2**63:
        raise ValueError("it has more than 64 bits")
    return number


def _decimal(kind: str, number: Decimal) -> Decimal:
    """The number with the places of `kind`; `decimal` alone has ten digits and no places."""
    digits, places = (int(n) for n in re.findall(r"\d+", f"{kind} 10 0")[:2])
    return fitted_decimal(number, digits, places)
