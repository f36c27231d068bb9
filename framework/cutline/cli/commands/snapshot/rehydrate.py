"""`cutline rehydrate`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO


@guarded
def rehydrate(
    context: options.Context,
    region: options.Region,
    into: Annotated[
        str,
        typer.Option(metavar="NAME", help="The database, as `rehydrations` in cutline.yaml names."),
    ],
    snapshot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The snapshot; left out, the newest run that is GO."),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Fill a database anew: the states of a snapshot, and the live events since.

    Services read what they read until the new tables are whole. The exit code is 1 where live
    events could not be applied.
    """
    from cutline.api import Project

    with result() as out:
        snapshots = Project.open(project).snapshots(context, region=region)
        done = snapshots.rehydrate(into=into, snapshot=snapshot, say=say)
        if json:
            out.document(done.as_json())
        else:
            out.line(f"{done.target}: version {done.version} of run {done.run_id}")
            for view, rows in done.rows.items():
                out.line(f"  {rows:>12,}  {view}")
            out.line(
                f"  live events since: {done.events:,} applied, {done.written:,} rows written, "
                f"{done.aside:,} put aside"
            )
        return EXIT_NO_GO if done.aside else EXIT_GOOD
