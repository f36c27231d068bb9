"""`cutline exceptions show`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import ExceptionDetails


@guarded
def show(
    context: options.Context,
    region: options.Region,
    exception: Annotated[
        str, typer.Argument(metavar="ID", help="The exception's id, or how it begins.")
    ],
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show one exception: the row or event as it was read, who has it, what else of its subject
    waits, and which commands come next. Personal values are masked."""
    from cutline.api import Project

    with result() as out:
        details = Project.open(project).triage(context, region=region).show(exception)
        if json:
            out.document(details.as_json())
        else:
            for line in _lines(details):
                out.line(line)
    return 0


def _lines(details: ExceptionDetails) -> Iterator[str]:
    entry = details.entry
    yield f"{entry.rule}  {entry.aggregate or 'no aggregate'} {entry.subject or 'subject unknown'}"
    yield f"  id         {entry.id}"
    yield f"  why        {entry.reason}"
    if details.checks:
        yield f"  checks     {', '.join(details.checks)}"
    place = " ".join(text for text in (entry.source, entry.table, entry.key) if text)
    yield f"  where      {place or 'unknown'} ({entry.level})"
    yield f"  run        {details.run_id}, {entry.rows:,} of its exceptions"
    yield f"  since      {entry.first_seen_at:%Y-%m-%d}, {entry.age_days} days; {entry.state}"
    yield f"  money      {'none' if entry.money is None else f'{entry.money.normalize():f}'}"
    yield f"  owner      {entry.owner or 'nobody'}"
    if entry.discarded:
        yield f"  discarded  by {entry.discarded} of waivers.yaml"
    yield f"  timeline   {details.on_timeline:,} events of the subject"
    for sibling in details.siblings:
        yield f"  waits too  {sibling.id[:8]}  {sibling.rule}: {sibling.reason}"
    for assignment in details.assignments:
        note = f": {assignment['note']}" if assignment["note"] else ""
        owner = assignment["owner"] or "nobody"
        yield f"  given      {assignment['at']} to {owner} by {assignment['made_by']}{note}"
    if details.payload is not None:
        yield ""
        yield details.payload
    if details.commands:
        yield ""
    for command in details.commands:
        yield f"  {command}"
