"""`cutline feed`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.advance.every import EveryTime, in_rounds
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO


@guarded
def feed(
    context: options.Context,
    region: options.Region,
    into: Annotated[
        str, typer.Option(metavar="NAME", help="The database, as `rebuilds` in cutline.yaml names.")
    ],
    every: EveryTime = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Apply the live events that came to a database that `cutline rebuild --feed` filled.

    Rows and positions are written in one transaction. The exit code is 1 where live events could
    not be applied. With --every it stays where a broker or a database is away for a while, and
    SIGTERM and Ctrl-C end it with exit code 0: what was not written yet is done by the next.
    """
    from cutline.api import Project

    with result() as out:
        opened, aside = Project.open(project), 0

        def feed_once() -> None:
            nonlocal aside
            fed = opened.feed(context, region=region, into=into)
            aside = fed.aside
            if json:
                out.document(fed.as_json())
            else:
                out.line(f"{into}: {fed.sentence}")

        try:
            in_rounds(every, feed_once)
        except KeyboardInterrupt:
            if every is None:
                raise
        return EXIT_NO_GO if aside and every is None else EXIT_GOOD
