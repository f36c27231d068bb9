"""The queue of backfills: asked for, listed, shown, cancelled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options, replay_options
from cutline.cli.commands.backfill.lines import entry_line, entry_lines
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD

Number = Annotated[
    int, typer.Argument(metavar="NUMBER", min=1, max=2**63 - 1, help="Its number in the queue.")
]


@guarded
def submit(
    name: replay_options.Name,
    to: replay_options.To,
    team: Annotated[str, typer.Option(metavar="TEAM", help="For whom it is asked.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    path: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Only this part of the archive, below its path."),
    ] = None,
    since: replay_options.Since = None,
    until: replay_options.Until = None,
    key: replay_options.Key = None,
    event_type: replay_options.EventType = None,
    where: replay_options.Where = None,
    pass_siblings: replay_options.PassSiblings = False,
    rate: replay_options.Rate = None,
    asked_by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="WHO", help="Who asks; left out, this user.", callback=options.not_blank
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Ask for a replay, to be sent by `cutline serve`."""
    from cutline.api import Project

    with result() as out:
        entry = (
            Project.open(project)
            .backfills()
            .submit(
                name,
                to=to,
                team=team,
                why=why,
                path=path,
                since=since,
                until=until,
                keys=key or None,
                types=event_type or None,
                where=where,
                pass_siblings=pass_siblings,
                rate=rate,
                asked_by=asked_by,
            )
        )
        if json:
            out.document(entry.as_json())
        else:
            out.line(entry_line(entry))
        return EXIT_GOOD


@guarded
def list_(
    status: Annotated[
        str | None, typer.Option(metavar="STATUS", help="Only those that stand so.")
    ] = None,
    team: Annotated[str | None, typer.Option(metavar="TEAM", help="Only those of a team.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="How many.")] = 50,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List backfills, newest first."""
    from cutline.api import Project

    with result() as out:
        entries = Project.open(project).backfills().list(status=status, team=team, limit=limit)
        if json:
            out.document({"backfills": entries.as_json()})
        else:
            for entry in entries:
                out.line(entry_line(entry))
            if not entries:
                out.line("no backfill is there")
        return EXIT_GOOD


@guarded
def show(number: Number, project: options.Project = Path(), json: options.Json = False) -> int:
    """Show a backfill: what was asked for, how it stands, and why."""
    from cutline.api import Project

    with result() as out:
        entry = Project.open(project).backfills().show(number)
        if json:
            out.document(entry.as_json())
        else:
            for line in entry_lines(entry):
                out.line(line)
        return EXIT_GOOD


@guarded
def cancel(
    number: Number,
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    cancelled_by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="WHO",
            help="Who cancels it; left out, this user.",
            callback=options.not_blank,
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Cancel a backfill: at once where it is queued; where it runs, it ends within seconds."""
    from cutline.api import Project

    with result() as out:
        entry = Project.open(project).backfills().cancel(number, why=why, cancelled_by=cancelled_by)
        if json:
            out.document(entry.as_json())
        else:
            for line in entry_lines(entry):
                out.line(line)
        return EXIT_GOOD


backfill = typer.Typer(
    no_args_is_help=True, help="The queue of backfills that teams ask for, which `serve` works on."
)
backfill.command()(submit)
backfill.command("list")(list_)
backfill.command()(show)
backfill.command()(cancel)
