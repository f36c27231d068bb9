"""The slices and runs of the index, from the control database and the lake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from cutline.api.reports_index.copied import copy_file
from cutline.api.reports_index.folder import SiteFolder
from cutline.api.reports_index.runbooks import runbook_of
from cutline.api.reports_index.signing import Fingerprints, fingerprints_of, write_sign_off
from cutline.api.runs.listing import BreakTrend, RunSummary, summaries
from cutline.api.runs.status import SliceOverview
from cutline.control import Control, RunRecord
from cutline.project import LoadedProject, load_recorded
from cutline.run.past import lake_of
from cutline_reports.site import (
    OpenBreaks,
    PageLink,
    RunEntry,
    SliceEntry,
    compared_run,
    comparison_name,
    runbook_page,
)

MOST_RUNS = 200
"""The index lists so many runs of a slice, the newest."""


def slice_entry(
    folder: Path,
    control: Control | None,
    overview: SliceOverview,
    site: SiteFolder,
    as_of: dt.datetime,
) -> SliceEntry:
    """One slice, its newest runs with it; their reports and its runbook are brought into the
    site."""
    context, region = overview.context, overview.region
    records: Sequence[RunRecord] = control.runs(context, region) if control else ()
    listed = records[:MOST_RUNS]
    runs: list[RunEntry] = []
    project = load_recorded(folder, region)
    runbook = None
    if context in project.file.contexts:
        runbook = f"{context}/{region}/runbook.html"
        site.write(runbook, runbook_page(runbook_of(project, control, context, region, as_of)))
    if control is not None and listed:
        trends = control.trends(context, region)
        meanings = fingerprints_of(control, context)
        summed = summaries(listed, trends, is_held=overview.held_by is not None)
        runs = [
            _run_entry(project, record, summary, meanings, site)
            for record, summary in zip(listed, summed, strict=True)
        ]
    return SliceEntry(
        context=context,
        region=region,
        status=overview.status,
        authority=overview.authority,
        runs=tuple(runs),
        older=len(records) - len(listed),
        runbook=runbook,
    )


def _run_entry(
    project: LoadedProject,
    record: RunRecord,
    summary: RunSummary,
    meanings: Fingerprints,
    site: SiteFolder,
) -> RunEntry:
    place, lake = run_place(record), lake_of(project, record)
    name = f"{place}/report.html"
    no_report = copy_file(lake, record, "report.html", site, name)
    copy_file(lake, record, "report.json", site, f"{place}/report.json")
    return RunEntry(
        run_id=record.run_id,
        status=summary.status,
        decision=record.decision,
        why=record.decided_by or record.error,
        created_at=record.created_at,
        breaks=None if summary.breaks is None else _open_breaks(summary.breaks),
        report=name if no_report is None else None,
        no_report=no_report,
        sign_off=write_sign_off(site, place, meanings),
        comparisons=tuple(
            PageLink(compared_run(page), f"{place}/{page}.html")
            for page in site.pages(place, comparison_name("*"))
        ),
    )


def _open_breaks(trend: BreakTrend) -> OpenBreaks:
    return OpenBreaks(trend.open, trend.opened, trend.reopened, trend.fixed)


def run_place(record: RunRecord) -> str:
    """The folder of a run's pages in a site."""
    return f"{record.context}/{record.region}/{record.run_id}"
