"""The runs of a slice and their tables, and the status of slices."""

from cutline.api.runs.listing import BreakTrend, RunSummary
from cutline.api.runs.status import SliceOverview

__all__ = ["BreakTrend", "RunSummary", "SliceOverview"]
