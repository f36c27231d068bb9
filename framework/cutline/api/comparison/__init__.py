"""Comparisons of two tables by key, wherever the tables are."""

from cutline.api.comparison.result import ComparisonResult
from cutline.api.comparison.tables import compare

__all__ = ["ComparisonResult", "compare"]
