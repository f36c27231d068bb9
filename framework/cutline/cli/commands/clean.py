"""`cutline clean`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = ("run_id", "slice", "size", "state")


@guarded
def clean(
    keep: Annotated[int, typer.Option("--keep", min=1, help="How many runs of a slice stay.")],
    context: Annotated[
        str | None, typer.Option("--context", metavar="CONTEXT", help="Only of this context.")
    ] = None,
    region: Annotated[str | None, typer.Option("--region", help="Only of this region.")] = None,
    project: options.Project = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Remove the tables of old runs from the lake; the newest KEEP of each slice stay.

    So does what they, the next run or a promotion rest on: the newest GO, the run that breaks are
    compared with, the newest extract. Runs stay listed; done again, they make theirs again.
    """
    from cutline.api import Project

    with result() as out:
        runs = Project.open(project).clean(
            keep=keep, context=context, region=region, dry_run=dry_run
        )
        if json:
            out.document(runs.as_json())
        elif runs:
            removal = "would be removed" if dry_run else "removed"
            out.table(
                NAMES,
                [
                    [
                        run.run_id,
                        f"{run.context} {run.region}",
                        run.size,
                        f"kept: {run.kept_because}" if run.kept_because else removal,
                    ]
                    for run in runs
                ],
            )
        else:
            out.line("There are no tables of runs in the lake.")
    return 0
