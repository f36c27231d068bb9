"""The writing of a site of reports."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from cutline.api.choice import control_of
from cutline.api.reports_index.entries import slice_entry
from cutline.api.reports_index.folder import SiteFolder
from cutline.api.reports_index.result import ReportsIndex
from cutline.api.runs.status import slice_overviews
from cutline.project import load_shared, slices
from cutline.version import __version__
from cutline_reports.site import SiteIndex, index_page


def write_index(project_folder: Path, folder: Path) -> ReportsIndex:
    """Write, or write again, the site of all slices of a project into a folder.

    The index comes last: where it is new, every page that it leads to is there.
    """
    project = load_shared(project_folder)
    control = control_of(project)
    site = SiteFolder(folder)
    site.prepare()
    as_of = dt.datetime.now(dt.UTC)
    overviews = slice_overviews(slices(project_folder), control.slices() if control else ())
    index = SiteIndex(
        project=project.file.name,
        cutline=__version__,
        as_of=as_of,
        slices=tuple(slice_entry(project_folder, control, o, site, as_of) for o in overviews),
    )
    site.write("index.html", index_page(index))
    runs = [run for entry in index.slices for run in entry.runs]
    return ReportsIndex(
        folder=folder.absolute(),
        as_of=as_of,
        slices=len(index.slices),
        runs=len(runs),
        reports=sum(run.report is not None for run in runs),
        without_report={run.run_id: run.no_report for run in runs if run.no_report is not None},
    )
