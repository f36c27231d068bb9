"""The index of a site as one HTML file: escaped, printable, readable without JavaScript."""

from __future__ import annotations

from cutline_reports.site.days import grid_days
from cutline_reports.site.model import RunEntry, SiteIndex, SliceEntry
from cutline_reports.site.template import page_environment, rendered

_DECISIONS = {"go": "GO", "no-go": "NO-GO", "none": "no decision"}


def index_page(index: SiteIndex) -> str:
    """The whole page, in the same bytes for the same index. It loads nothing, and links only to
    files beside it.
    """
    rows = [(entry, run) for entry in index.slices for run in entry.runs]
    newest_first = sorted(rows, key=_by_age)
    return rendered(
        page_environment(),
        "index.html.j2",
        script="index.js",
        styles=("report.css", "site.css"),
        version=index.cutline,
        index=index,
        rows=newest_first,
        days=grid_days(index.slices),
        contexts=list(dict.fromkeys(entry.context for entry in index.slices)),
        regions=list(dict.fromkeys(entry.region for entry in index.slices)),
        decisions=_DECISIONS,
        sentence=_sentence(index),
    )


def _by_age(row: tuple[SliceEntry, RunEntry]) -> tuple[float, str]:
    return -row[1].created_at.timestamp(), row[1].run_id


def _sentence(index: SiteIndex) -> str:
    """How many slices there are, and how their newest runs ended."""
    ends = [_DECISIONS[entry.newest.decision or "none"] for entry in index.slices if entry.newest]
    parts = [f"{ends.count(end)} {end}" for end in _DECISIONS.values() if end in ends]
    if never := sum(entry.newest is None for entry in index.slices):
        parts.append(f"{never} never run")
    number = len(index.slices)
    return f"{number} {'slice' if number == 1 else 'slices'} by the newest run: {', '.join(parts)}."
