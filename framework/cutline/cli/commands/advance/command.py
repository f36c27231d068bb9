"""`cutline advance`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.advance.every import pause_of, rest
from cutline.cli.guard import guarded
from cutline.cli.output import Output, result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO


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
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The Spark master, instead of that of cutline.yaml."),
    ] = None,
) -> int:
    """Carry one slice on from its newest run: only what came since is read.

    The result is that of one run over everything. The first run of a slice reads everything. With
    --every, SIGTERM and Ctrl-C end it: between two runs with exit code 0; within a run nothing of
    the stage at work is visible, the exit code is 3, and the same command goes on.
    """
    from cutline.api import Project
    from cutline.cli.commands.advance.cycle import cycle_line
    from cutline.cli.commands.run.summary import summary
    from cutline.cli.progress import progress

    if until_caught_up and every is not None:
        raise typer.BadParameter("--until-caught-up ends when nothing is new, --every never does")
    repeated = until_caught_up or every is not None
    number = 0
    with result() as out:
        opened = Project.open(project)
        while True:
            number += 1
            with progress() as on_event:
                done = opened.advance(context, region=region, master=master, on_event=on_event)
            last = not repeated or (until_caught_up and done.already_complete)
            if repeated and not last:
                _show(out, cycle_line(number, done), done.as_json() if json else None)
            if last:
                break
            if every is not None and not rest(every):
                return EXIT_GOOD
        if json:
            out.document(done.as_json())
        else:
            for line in summary(done):
                out.line(line)
    return EXIT_NO_GO if done.decision == "no-go" else EXIT_GOOD


def _show(out: Output, line: str, document: object) -> None:
    if document is None:
        out.line(line)
    else:
        out.document(document)
