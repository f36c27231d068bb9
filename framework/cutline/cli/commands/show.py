"""`cutline show`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or how it begins.")],
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="A table of it; `changes` for all."),
    ],
    project: options.Project = Path(),
    where: Annotated[
        str | None, typer.Option(metavar="SQL", help="Only rows for which this holds.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many rows.")] = 20,
    json: options.Json = False,
) -> int:
    """Show rows of one table of a run. What contracts and payloads call personal is masked."""
    from cutline.api import Project

    with result() as out:
        shown = Project.open(project).find_run(run).show(table, where=where, limit=limit)
        if json:
            out.document(shown.as_json())
        else:
            out.table(shown.columns, shown.rows)
    return 0
