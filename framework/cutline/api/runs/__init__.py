"""Finds the runs of a slice and their tables, and says where slices stand."""

from cutline.api.runs.listing import BreakTrend, RunSummary
from cutline.api.runs.status import SliceOverview

__all__ = ["BreakTrend", "RunSummary", "SliceOverview"]
