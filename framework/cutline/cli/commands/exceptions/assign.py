"""`cutline exceptions assign`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.exceptions.options import Ids, Rules
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def assign(
    context: options.Context,
    region: options.Region,
    exceptions: Ids = None,
    rule: Rules = None,
    to: Annotated[
        str | None,
        typer.Option("--to", help="Who looks after them from now on.", callback=options.not_blank),
    ] = None,
    nobody: Annotated[
        bool, typer.Option("--nobody", help="Take them from whoever has them.")
    ] = False,
    note: Annotated[str | None, typer.Option("--note", help="What is to be done.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", help="Who gives them; else the user's name.", callback=options.not_blank
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Give exceptions to somebody: single ones, or all of a rule, also those that come later.

    They keep their owner from run to run. Nothing of a run's results changes.
    """
    from cutline.api import Project

    if (to is None) != nobody:
        raise typer.BadParameter("say to whom, by --to or --nobody")
    with result() as out:
        assigned = (
            Project.open(project)
            .triage(context, region=region)
            .assign(to, exceptions=exceptions or (), rules=rule or (), note=note, made_by=by)
        )
        if json:
            out.document(assigned.as_json())
        for assignment in () if json else assigned:
            label = f"rule {assignment.rule}" if assignment.rule else str(assignment.exception)
            out.line(f"{label}: {assignment.owner or 'nobody'}")
    return 0
