"""`cutline reports`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def reports(
    index: Annotated[
        Path,
        typer.Option(
            "--index", metavar="DIR", help="The folder of the site: new, empty, or an earlier one."
        ),
    ],
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Write a site of the reports of all slices and runs, which can be sent as a folder."""
    from cutline.api import Project

    with result() as out:
        written = Project.open(project).reports_index(index)
        if json:
            out.document(written.as_json())
            return 0
        out.line(
            f"{written.page}: {written.slices:,} slices, {written.runs:,} runs, "
            f"{written.reports:,} reports"
        )
        for run, why in written.without_report.items():
            out.line(f"no report of {run}: {why}")
    return 0
