"""Exact comparison of two DataFrames by key."""

from cutline_reconciliation.compare.classes import (
    ALL,
    CHANGED,
    DUPLICATED,
    MATCHED,
    NULL_KEY,
    ONLY_LEFT,
    ONLY_RIGHT,
    WITHIN_TOLERANCE,
)
from cutline_reconciliation.compare.paired import paired
from cutline_reconciliation.compare.tolerance import Tolerance

__all__ = [
    "ALL",
    "CHANGED",
    "DUPLICATED",
    "MATCHED",
    "NULL_KEY",
    "ONLY_LEFT",
    "ONLY_RIGHT",
    "WITHIN_TOLERANCE",
    "Tolerance",
    "paired",
]
