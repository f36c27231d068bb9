"""`cutline replay`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options, replay_options
from cutline.cli.commands.quotas import quota_lines
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Replay


@guarded
def replay(
    name: replay_options.Name,
    to: replay_options.To,
    since: replay_options.Since = None,
    until: replay_options.Until = None,
    key: replay_options.Key = None,
    event_type: replay_options.EventType = None,
    where: replay_options.Where = None,
    pass_siblings: replay_options.PassSiblings = False,
    rate: replay_options.Rate = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and evolve, say what would be sent; send none.")
    ] = False,
    plan_anew: Annotated[
        bool,
        typer.Option(
            "--plan-anew",
            help="Forget one that was begun, whose records stay, or whose destination is gone.",
        ),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Send what a topic or an archive holds again, evolved to the newest, to a topic of its own."""
    from cutline.api import Project

    with result() as out:
        replayed = Project.open(project).replay(
            name,
            to=to,
            since=since,
            until=until,
            keys=key or None,
            types=event_type or None,
            where=where,
            pass_siblings=pass_siblings,
            rate=rate,
            dry_run=dry_run,
            plan_anew=plan_anew,
            say=say,
        )
        if json:
            out.document(replayed.as_json())
        else:
            for line in replay_lines(replayed):
                out.line(line)
        return EXIT_NO_GO if replayed.exceptions else EXIT_GOOD


def replay_lines(replay: Replay) -> list[str]:
    """A replay for people: what became of how many records, and where they are."""
    states = {"would be sent": replay.dry_run, "was complete": replay.already_complete}
    state = next((words for words, holds in states.items() if holds), "sent and read back")
    lines = [
        f"{replay.id} of {replay.name} to {replay.destination}: {state}",
        f"  {replay.read:,} read, {replay.passed_over:,} not asked for, {replay.replayed:,} "
        f"replayed, {replay.exceptions:,} exceptions, {replay.waiting:,} waiting behind them",
    ]
    if replay.domain_events is not None:
        lines.append(
            f"  {replay.domain_events:,} domain events of those replayed; "
            f"{replay.without_event:,} records announce none"
        )
    for outcome in replay.outcomes:
        reason = f" {outcome.reason}" if outcome.reason else ""
        written = f" {outcome.written}" if outcome.written else ""
        kind = outcome.type or "(no type)"
        lines.append(f"  {outcome.records:>12,}  {kind}{written}: {outcome.outcome}{reason}")
    if replay.seconds is not None:
        lines.append(f"  at the rate that is asked for: {replay.seconds:,.0f} s")
    lines += quota_lines(replay.quotas)
    if replay.exceptions_table:
        lines.append(f"  what was not sent: {replay.exceptions_table}")
    return lines
