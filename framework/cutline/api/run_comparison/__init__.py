"""Comparisons of two runs of a slice: events, states and breaks."""

from cutline.api.run_comparison.result import RunComparison
from cutline.api.run_comparison.two_runs import compare_two_runs

__all__ = ["RunComparison", "compare_two_runs"]
