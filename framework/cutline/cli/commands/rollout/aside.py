"""`cutline rollout aside`, `admit` and `discard`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.rollout.options import ChangedBy, Why
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = ("record", "rule", "aggregate", "subject", "versions", "decision", "reason")
Record = Annotated[
    str,
    typer.Argument(
        metavar="RECORD", help="Its place, TOPIC/PARTITION/POSITION, or a rule for all of it."
    ),
]
Reason = Annotated[
    str, typer.Option("--why", help="Why it is given up.", callback=options.not_blank)
]


@guarded
def aside(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List the live records that are not applied to the read model, each with its rule."""
    from cutline.api import Project

    with result() as out:
        rows = Project.open(project).rollout(context, region=region).aside().as_json()
        if json:
            out.document(rows)
        elif rows:
            shown = [row | {"versions": ", ".join(map(str, row["versions"]))} for row in rows]
            out.table(NAMES, [[row[name] or "" for name in NAMES] for row in shown])
        else:
            out.line("Nothing is put aside.")
    return 0


@guarded
def admit(
    context: options.Context,
    record: Record,
    region: options.Region,
    why: Why = None,
    decided_by: ChangedBy = None,
    project: options.Project = Path(),
) -> int:
    """Have the next feed decide anew about a record that is put aside, whatever its epoch is."""
    from cutline.api import Project

    with result() as out:
        opened = Project.open(project).rollout(context, region=region)
        number = opened.admit(record, why=why, decided_by=decided_by)
        out.line(f"{number:,} admitted, for the next cutline rollout feed")
    return 0


@guarded
def discard(
    context: options.Context,
    record: Record,
    region: options.Region,
    why: Reason,
    decided_by: ChangedBy = None,
    project: options.Project = Path(),
) -> int:
    """Give up a record that is put aside: what waits behind it goes on with the next feed."""
    from cutline.api import Project

    with result() as out:
        opened = Project.open(project).rollout(context, region=region)
        number = opened.discard(record, why=why, decided_by=decided_by)
        out.line(f"{number:,} discarded, for the next cutline rollout feed")
    return 0
