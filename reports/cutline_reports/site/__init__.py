"""The pages of a site of reports, which works from a folder: the index, and sign-offs."""

from cutline_reports.site.index_page import index_page
from cutline_reports.site.model import OpenBreaks, RunEntry, SiteIndex, SliceEntry
from cutline_reports.site.sign_off import sign_off, sign_off_digest, sign_off_text
from cutline_reports.site.sign_off_page import sign_off_page

__all__ = [
    "OpenBreaks",
    "RunEntry",
    "SiteIndex",
    "SliceEntry",
    "index_page",
    "sign_off",
    "sign_off_digest",
    "sign_off_page",
    "sign_off_text",
]
