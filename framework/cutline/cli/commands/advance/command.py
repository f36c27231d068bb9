"""`cutline advance`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.advance.every import pause_of, rest
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD


@guarded
def advance(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
    until_caught_up: Annotated[
        bool,
        typer.Option(
            "--until-caught-up",
            help="Go on until nothing is new: until the inputs are as the last run read them.",
        ),
    ] = False,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            callback=pause_of,
            help="Stay, and go on again so long after each run: 30s, 5m, 1h.",
        ),
    ] = None,
    master: options.Master = None,
) -> int:
    """Carry one slice on from its newest run: only what came since is read.

    The result is that of one run over everything. The first run of a slice reads everything. With
    --every, SIGTERM and Ctrl-C end it: between two runs with exit code 0; within a run nothing of
    the stage at work is visible, the exit code is 3, and the same command goes on.
    """
    from cutline.api import Project
    from cutline.cli.commands.advance.cycle import cycle_line
    from cutline.cli.commands.run.summary import show_run
    from cutline.cli.progress import progress

    if until_caught_up and every is not None:
        raise typer.BadParameter("--until-caught-up ends when nothing is new, --every never does")
    number = 0
    with result() as out:
        opened = Project.open(project)
        while True:
            number += 1
            with progress() as on_event:
                done = opened.advance(context, region=region, master=master, on_event=on_event)
            if every is None and (done.already_complete or not until_caught_up):
                return show_run(out, done, json=json)
            if json:
                out.document(done.as_json())
            else:
                out.line(cycle_line(number, done))
            if every is not None and not rest(every):
                return EXIT_GOOD
