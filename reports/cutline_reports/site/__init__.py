"""The pages of a site of reports, which works from a folder: index, runbooks, sign-offs,
comparisons."""

from cutline_reports.site.comparison_page import (
    compared_run,
    comparison_name,
    comparison_page,
    comparison_sentence,
    runs_are_alike,
)
from cutline_reports.site.index_page import index_page
from cutline_reports.site.model import OpenBreaks, PageLink, RunEntry, SiteIndex, SliceEntry
from cutline_reports.site.runbook import (
    Runbook,
    RunbookGate,
    RunbookMove,
    RunbookStep,
    runbook_page,
)
from cutline_reports.site.sign_off import sign_off, sign_off_digest, sign_off_text
from cutline_reports.site.sign_off_page import sign_off_page

__all__ = [
    "OpenBreaks",
    "PageLink",
    "RunEntry",
    "Runbook",
    "RunbookGate",
    "RunbookMove",
    "RunbookStep",
    "SiteIndex",
    "SliceEntry",
    "compared_run",
    "comparison_name",
    "comparison_page",
    "comparison_sentence",
    "index_page",
    "runbook_page",
    "runs_are_alike",
    "sign_off",
    "sign_off_digest",
    "sign_off_page",
    "sign_off_text",
]
