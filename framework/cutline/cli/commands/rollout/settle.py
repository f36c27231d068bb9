"""`cutline rollout settle`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.rollout.options import ChangedBy
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def settle(
    context: options.Context,
    stray: Annotated[
        str, typer.Argument(metavar="ID", help="The decision, by its id in `decisions`.")
    ],
    region: options.Region,
    why: Annotated[
        str,
        typer.Option(
            "--why", help="What became of it, for the ledger.", callback=options.not_blank
        ),
    ],
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Say in the ledger what became of a decision without authority: it stops nothing any more."""
    from cutline.api import Project

    opened = Project.open(project).rollout(context, region=region)
    with result() as out:
        line = opened.settle(stray, why=why, changed_by=changed_by)
        if json:
            out.document(line.as_json())
        else:
            out.line(f"{context}/{region}: {stray} is settled by {line.changed_by}: {line.why}")
    return 0
