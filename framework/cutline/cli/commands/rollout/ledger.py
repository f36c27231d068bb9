"""`cutline rollout ledger`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = (
    *("changed_at", "changed_by", "command", "step", "event"),
    *("reads", "percent", "writes", "release", "epoch", "why"),
)


@guarded
def ledger(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List every change of a slice's rollout, newest first: who, when, why, and what stood then."""
    from cutline.api import Project

    opened = Project.open(project).rollout(context, region=region)
    with result() as out:
        rows = opened.ledger().as_json()
        if json:
            out.document({"changes": rows, "releases": opened.releases().as_json()})
        elif rows:
            out.table(NAMES, [[row[name] for name in NAMES] for row in rows])
        else:
            out.line("The rollout of this slice was never opened.")
    return 0
