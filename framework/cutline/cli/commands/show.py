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
    from cutline.api.choice import control_of
    from cutline.api.runs.finding import found_run, found_tables
    from cutline.project import load

    with result() as out:
        loaded = load(project)
        record = found_run(control_of(loaded), run, project)
        names = found_tables(record, table)

        from cutline.api.rows import rows_of

        columns, rows = rows_of(
            loaded, record, names, whole=table == "changes", where=where, limit=limit
        )
        if json:
            out.document([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            out.table(columns, rows)
    return 0
