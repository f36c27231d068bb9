"""`cutline status`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = ("context", "slice", "status", "decision", "last_run", "runs", "authority", "held_by")


@guarded
def status(project: options.Project = Path(), json: options.Json = False) -> int:
    """Say where every slice stands: its newest run, who decides for it, who works on it now."""
    from cutline.api import Project

    with result() as out:
        rows = Project.open(project).status().as_json()
        if json:
            out.document(rows)
        else:
            out.table(NAMES, [[row[name] for name in NAMES] for row in rows])
    return 0
