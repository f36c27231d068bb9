"""`cutline resend`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.quotas import quota_lines
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Resend


@guarded
def resend(
    context: options.Context,
    region: options.Region,
    to: Annotated[str, typer.Option("--to", metavar="TOPIC", help="The topic that it goes to.")],
    subjects: Annotated[
        list[str] | None, typer.Argument(metavar="[SUBJECT]...", help="Who is sent.")
    ] = None,
    aggregate: Annotated[
        str | None, typer.Option(metavar="NAME", help="The aggregate that they are subjects of.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="SQL", help="Those for whose state this is true."),
    ] = None,
    from_breaks: Annotated[
        str | None,
        typer.Option("--from-breaks", metavar="CLUSTER", help="Those of a cluster of breaks."),
    ] = None,
    state: Annotated[
        bool, typer.Option("--state", help="Send their newest states instead of their histories.")
    ] = False,
    alone: Annotated[
        bool, typer.Option("--alone", help="Send them without the wholes that they are parts of.")
    ] = False,
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="From that run; else the newest that is GO.")
    ] = None,
    rate: Annotated[
        int | None, typer.Option("--rate", metavar="N", min=1, help="Messages a second, at most.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent; send none.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Send it once more although it was sent.")
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Send the history or the state of named subjects again, to a topic of its own."""
    from cutline.api import Project

    with result() as out:
        resent = Project.open(project).resend(
            context,
            subjects or (),
            region=region,
            to=to,
            aggregate=aggregate,
            where=where,
            cluster=from_breaks,
            state=state,
            alone=alone,
            run=run,
            rate=rate,
            dry_run=dry_run,
            again=again,
            say=say,
        )
        if json:
            out.document(resent.as_json())
        else:
            for line in resend_lines(resent):
                out.line(line)
        return EXIT_NO_GO if resent.held_back or resent.without_history else EXIT_GOOD


def resend_lines(resent: Resend) -> list[str]:
    """A resend for people: whose records went where, and who was left out."""
    states = {"would be sent": resent.dry_run, "was sent before": resent.already_complete}
    state = next((words for words, holds in states.items() if holds), "sent and read back")
    records = sum(resent.records.values())
    lines = [
        f"{resent.id} of run {resent.run} to {resent.destination}: {state}",
        f"  {resent.sent:,} subjects, {records:,} records, {resent.held_back:,} held back, "
        f"{resent.without_history:,} without history",
    ]
    for count in resent.subjects:
        kind = "" if count.is_asked else ", as the whole of others"
        lines.append(f"  {count.subjects:>12,}  {count.aggregate}: {count.fate}{kind}")
    lines += [f"  {number:>12,}  {kind}" for kind, number in resent.records.items()]
    if resent.held_back:
        lines.append("  who is held back waits for an exception: cutline exceptions list")
    if resent.seconds is not None:
        lines.append(f"  at the rate that is asked for: {resent.seconds:,.0f} s")
    lines += quota_lines(resent.quotas)
    return lines
