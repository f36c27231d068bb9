"""`cutline rebuild`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import Output, result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Rebuild


@guarded
def rebuild(
    context: options.Context,
    region: options.Region,
    into: Annotated[
        str, typer.Option(metavar="NAME", help="The database, as `rebuilds` in cutline.yaml names.")
    ],
    max_different: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="How many of an aggregate's subjects may differ from what the newest complete run "
            "projected, as a share from 0 to 1; left out, none.",
        ),
    ] = 0.0,
    snapshot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare with the run of this snapshot; left out, with the newest complete one.",
        ),
    ] = None,
    feed: Annotated[
        bool,
        typer.Option(
            "--feed",
            help="Apply the live events since that run before services read the rows, so that "
            "`cutline feed` can go on from there.",
        ),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Fill a database anew straight from legacy rows, compared with the projection.

    Services read what they read until the new tables are whole. The exit code is 1, and nothing is
    built, where more differs than may; with --feed it is 1 as well where live events could not be
    applied.
    """
    from cutline.api import Project

    with result() as out:
        done = Project.open(project).rebuild(
            context,
            region=region,
            into=into,
            max_different=max_different,
            snapshot=snapshot,
            feed=feed,
            say=say,
        )
        if json:
            out.document(done.as_json())
        else:
            _show(out, done)
        is_whole = done.fed is None or not done.fed.aside
        return EXIT_GOOD if done.shown and is_whole else EXIT_NO_GO


def _show(out: Output, done: Rebuild) -> None:
    out.line(done.sentence)
    for view, rows in done.rows.items():
        out.line(f"  {rows:>12,}  {view}")
    if done.fed is not None:
        out.line(
            f"  live events since: {done.fed.events:,} applied, {done.fed.rows:,} rows written, "
            f"{done.fed.aside:,} put aside"
        )
    if done.unlike is not None:
        out.line(f"  {done.unlike}")
    if done.agreements:
        out.line()
        out.table(done.COUNTS, done.counts())
    if examples := done.examples():
        out.line()
        out.table(done.EXAMPLE, examples)
