"""Snapshots of a slice: taken, listed, dropped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD
from cutline.wording import counted, printable

if TYPE_CHECKING:
    from cutline.api import SliceSnapshot

Name = Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")]


@guarded
def take(
    context: options.Context,
    name: Name,
    region: options.Region,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why it is kept.")],
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="The run; left out, the newest that is GO.")
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Keep the states of a run, with the positions that they stand at, under a name."""
    from cutline.api import Project

    with result() as out:
        snapshots = Project.open(project).snapshots(context, region=region)
        entry = snapshots.take(name, why=why, run=run)
        if json:
            out.document(entry.as_json())
        else:
            out.line(snapshot_line(entry))
        return EXIT_GOOD


@guarded
def list_(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List the snapshots of a slice, newest first."""
    from cutline.api import Project

    with result() as out:
        entries = Project.open(project).snapshots(context, region=region).list()
        if json:
            out.document({"snapshots": entries.as_json()})
        else:
            for entry in entries:
                out.line(snapshot_line(entry))
            if not entries:
                out.line("no snapshot is there")
        return EXIT_GOOD


@guarded
def drop(
    context: options.Context,
    name: Name,
    region: options.Region,
    project: options.Project = Path(),
) -> int:
    """Forget a snapshot: `cutline clean` may remove its run then."""
    from cutline.api import Project

    with result() as out:
        Project.open(project).snapshots(context, region=region).drop(name)
        out.line(f"snapshot {printable(name)} is dropped")
        return EXIT_GOOD


def snapshot_line(entry: SliceSnapshot) -> str:
    """A snapshot for people."""
    states = ", ".join(counted(rows, name) for name, rows in entry.states.items())
    return (
        f"{printable(entry.name)}  run {entry.run_id}  {states}  taken "
        f"{entry.taken_at:%Y-%m-%d %H:%M} by {printable(entry.taken_by)}: {printable(entry.why)}"
    )


snapshot = typer.Typer(no_args_is_help=True, help="States of a slice that are kept under a name.")
snapshot.command()(take)
snapshot.command("list")(list_)
snapshot.command()(drop)
