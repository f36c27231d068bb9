"""`cutline run`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import did_you_mean


def _stages(names: list[str] | None) -> list[str] | None:
    from cutline.api import STAGE_NAMES

    for name in names or ():
        if name not in STAGE_NAMES:
            raise typer.BadParameter(
                f"{name!r} is none of {', '.join(STAGE_NAMES)}.{did_you_mean(name, STAGE_NAMES)}"
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
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Make a run again that one of other inputs overtook, so that it is the newest.",
        ),
    ] = False,
    master: options.Master = None,
) -> int:
    """Carry one slice through: read, translate, merge, project, reconcile, report, decide.

    The same command continues an interrupted run, and says so if the run is already complete.
    """
    from cutline.api import Project
    from cutline.cli.commands.run.summary import show_run
    from cutline.cli.progress import progress

    with result() as out:
        opened = Project.open(project)
        with progress() as on_event:
            done = opened.run(
                context,
                region=region,
                stages=stage or (),
                again=again,
                master=master,
                on_event=on_event,
            )
        return show_run(out, done, json=json)
