"""`cutline serve`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.advance.every import in_rounds, pause_of
from cutline.cli.commands.backfill.lines import entry_line
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

_BAD = ("failed", "refused")


@guarded
def serve(
    every: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            callback=pause_of,
            help="Stay, and look for more so long after each round: 5s, 1m.",
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Take requests for backfills, and work on the queue until nothing can be begun.

    Several may serve one queue; each works on one backfill at a time. With --every it stays where a
    broker or a database is away for a while, and SIGTERM and Ctrl-C end it: between two rounds with
    exit code 0; a backfill that was under way is gone on with by whoever serves next. Without it
    the exit code is 1 where a backfill failed or was refused, or not all could be sent.
    """
    from cutline.api import Project

    with result() as out:
        opened = Project.open(project).backfills()
        is_bad = False

        def serve_once() -> None:
            nonlocal is_bad
            entries = opened.serve(say=say)
            is_bad = any(entry.status in _BAD or entry.exceptions for entry in entries)
            if json:
                out.document({"backfills": entries.as_json()})
            else:
                for entry in entries:
                    out.line(entry_line(entry))

        in_rounds(every, serve_once)
        return EXIT_NO_GO if is_bad and every is None else EXIT_GOOD
