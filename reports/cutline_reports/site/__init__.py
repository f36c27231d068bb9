"""The pages of a site of reports, which works from a folder: the index of all runs."""

from cutline_reports.site.index_page import index_page
from cutline_reports.site.model import OpenBreaks, RunEntry, SiteIndex, SliceEntry

__all__ = ["OpenBreaks", "RunEntry", "SiteIndex", "SliceEntry", "index_page"]
