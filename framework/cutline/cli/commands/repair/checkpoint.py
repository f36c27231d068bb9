"""`cutline repair checkpoint`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.repair.arguments import Cold, Name
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD


@guarded
def checkpoint(
    name: Name,
    at: Annotated[str, typer.Option(metavar="T", help="The moment, at which a window begins.")],
    cold: Cold = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Keep the state of all events before a moment, so that later repairs begin from it."""
    from cutline.api import Project

    with result() as out:
        state = Project.open(project).repair(name).checkpoint(at, cold=cold, say=say)
        if json:
            out.document(state.as_json())
        else:
            out.line(f"{state.name}: the state of {state.moment.isoformat()} is in {state.place}")
        return EXIT_GOOD
