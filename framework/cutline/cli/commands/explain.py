"""`cutline explain`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def explain(
    subject: Annotated[
        str, typer.Argument(metavar="SUBJECT", help="A subject, such as SO-1 or SO-1/2.")
    ],
    aggregate: Annotated[
        str | None,
        typer.Option("--aggregate", help="Whose subject it is; needed if several have that id."),
    ] = None,
    context: Annotated[
        str | None, typer.Option("--context", help="The context; needed if there are several.")
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region; needed if there are several.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="A run's id, or how it begins; else the newest.")
    ] = None,
    project: options.Project = Path(),
    limit: Annotated[int, typer.Option(min=1, help="At most so many rows of each table.")] = 50,
    json: options.Json = False,
) -> int:
    """Tell the whole life of one subject: legacy rows, events, state, truth, decisions, breaks.

    What contracts and payloads call personal is masked.
    """
    from cutline.cli.chosen_run import chosen_run
    from cutline.project import load

    with result() as out:
        loaded = load(project)
        record = chosen_run(loaded, project, context, region, run)

        from cutline.cli.life import life_of
        from cutline.cli.story import story

        life = life_of(loaded, record, subject, limit, aggregate)
        if json:
            out.document(life.as_json())
        else:
            for line in story(life):
                out.line(line)
    return 0
