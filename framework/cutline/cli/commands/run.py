"""`cutline run`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import did_you_mean
from cutline.stage import ORDER


def _stages(names: list[str] | None) -> list[str] | None:
    for name in names or ():
        if name not in ORDER:
            raise typer.BadParameter(
                f"{name!r} is none of {', '.join(ORDER)}.{did_you_mean(name, ORDER)}"
            )
    return names


@guarded
def run(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            help="Perform only this stage, once more; may be given again.", callback=_stages
        ),
    ] = None,
) -> int:
    """Carry one slice through: read, translate, merge, project, reconcile, report, decide.

    The same command continues an interrupted run, and says so if the run is already complete.
    """
    from cutline.cli.performing import perform
    from cutline.cli.summary import summary

    with result() as out:
        outcome = perform(project, context, region, stage or ())
        if json:
            out.document(outcome.as_json())
        else:
            for line in summary(outcome, project):
                out.line(line)
    return outcome.exit_code
