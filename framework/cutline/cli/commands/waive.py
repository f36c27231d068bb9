"""`cutline waive`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def waive(
    cluster: Annotated[
        str,
        typer.Argument(metavar="CLUSTER", help="A cluster's id, as the table `clusters` has it."),
    ],
    context: Annotated[
        str | None, typer.Option("--context", help="The context, if the project has several.")
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region, if the project has several.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="A run's id, or how it begins; else the newest.")
    ] = None,
    project: options.Project = Path(),
    append: Annotated[
        bool,
        typer.Option("--append", help="Put it at the end of waivers.yaml instead of printing."),
    ] = False,
) -> int:
    """Draft a waiver for a cluster of breaks: an entry of waivers.yaml to be filled in.

    Its caps are what was found. Reason, owner, ticket and last day are left to a person; as long as
    they are, no run starts.
    """
    from cutline.api import Project

    with result() as out:
        draft = Project.open(project).waive(
            cluster, context=context, region=region, run=run, append=append
        )
        if draft.path is not None:
            out.line(f"Appended to {draft.path}: fill in what says TODO.")
        else:
            out.line(draft.text.rstrip("\n"))
    return 0
