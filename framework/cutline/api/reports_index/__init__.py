"""A site of the reports of all runs, in a folder that works by itself."""

from cutline.api.reports_index.result import ReportsIndex
from cutline.api.reports_index.write import write_index

__all__ = ["ReportsIndex", "write_index"]
