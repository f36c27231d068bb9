"""`cutline runs`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = ("run_id", "status", "decision", "created_at", "seconds", "stages", "breaks", "error")


@guarded
def runs(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List the runs of one slice, newest first, with what became of the breaks in each."""
    from cutline.api import Project

    with result() as out:
        listed = Project.open(project).runs(context, region=region)
        if json:
            out.document(listed.as_json())
        elif listed:
            rows = [{**run.as_json(), "breaks": run.breaks} for run in listed]
            out.table(NAMES, [[row[name] for name in NAMES] for row in rows])
        else:
            out.line(f"No run of {context} {region} yet.")
    return 0
