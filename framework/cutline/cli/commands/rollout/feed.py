"""`cutline rollout feed`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.advance.every import EveryTime, in_rounds
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD


@guarded
def feed(
    context: options.Context,
    region: options.Region,
    every: EveryTime = None,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="This version alone; left out, all.")
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Apply the live events that came to every version of the read model that stands.

    Rows and positions are written in one transaction. With --every it stays where a broker or a
    database is away for a while, and SIGTERM and Ctrl-C end it with exit code 0: what was not
    written yet is done by the next.
    """
    from cutline.api import Project

    with result() as out:
        opened = Project.open(project).rollout(context, region=region)

        def feed_once() -> None:
            versions = opened.feed(version=version)
            if json:
                out.document({"versions": versions.as_json()})
            else:
                for fed in versions:
                    out.line(fed.sentence)

        try:
            in_rounds(every, feed_once)
        except KeyboardInterrupt:
            if every is None:
                raise
        return EXIT_GOOD
