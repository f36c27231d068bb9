"""Exact comparison of two tables by key.

`compare` takes whole tables, and gives counts that balance and the details of differences.
`pair_rows` joins the rows of two DataFrames by key, as a base for other comparisons.
"""

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
from cutline_reconciliation.compare.compare import compare
from cutline_reconciliation.compare.pair_rows import pair_rows
from cutline_reconciliation.compare.result import ColumnResult, Comparison
from cutline_reconciliation.compare.rules import ColumnRules, Rules, load_rules

__all__ = [
    "ALL",
    "CHANGED",
    "DUPLICATED",
    "MATCHED",
    "NULL_KEY",
    "ONLY_LEFT",
    "ONLY_RIGHT",
    "WITHIN_TOLERANCE",
    "ColumnResult",
    "ColumnRules",
    "Comparison",
    "Rules",
    "compare",
    "load_rules",
    "pair_rows",
]
