"""`cutline exceptions discard`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def discard(
    context: options.Context,
    region: options.Region,
    exceptions: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids of exceptions, or how they begin.")
    ],
    name: Annotated[str, typer.Option("--name", help="What waivers.yaml and the gate call it.")],
    reason: Annotated[
        str,
        typer.Option("--reason", help="Why nothing need come of them.", callback=options.not_blank),
    ],
    ticket: Annotated[str, typer.Option("--ticket", help="Where it is followed up.")],
    expires: Annotated[
        str, typer.Option("--expires", metavar="DAY", help="The last day, such as 2027-01-31.")
    ],
    owner: Annotated[
        str | None,
        typer.Option(
            "--owner", help="Who answers for it; else whoever has them.", callback=options.not_blank
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the entry; waivers.yaml stays as it is.")
    ] = False,
    project: options.Project = Path(),
) -> int:
    """Accept that nothing will come of single exceptions: an entry of waivers.yaml.

    The gate of their rule does not count them from the next run on. The entry is a gate of its own:
    it says NO-GO behind its last day, and where none of them is open any more.
    """
    from cutline.api import Project

    with result() as out:
        draft = (
            Project.open(project)
            .triage(context, region=region)
            .discard(
                exceptions,
                name=name,
                reason=reason,
                ticket=ticket,
                expires=expires,
                owner=owner,
                dry_run=dry_run,
            )
        )
        if draft.path is None:
            out.line(draft.text.rstrip("\n"))
        else:
            out.line(f"Appended to {draft.path}, under discarded: {draft.name}")
            command = Project.open(project).command(f"advance {context} --region {region}")
            out.line(f"The gates count them no more from the next run on: {command}")
    return 0
