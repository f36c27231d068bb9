"""`cutline repair reverse`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.commands.repair.arguments import Name
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD


@guarded
def reverse(name: Name, project: options.Project = Path(), json: options.Json = False) -> int:
    """Put the rows back that the newest repair has replaced."""
    from cutline.api import Project

    with result() as out:
        done = Project.open(project).repair(name).reverse()
        if json:
            out.document(done.as_json())
        else:
            out.line(
                f"{done.name}: the windows from {done.begin.isoformat()} to "
                f"{done.end.isoformat()} have the rows of before {done.id} again"
            )
        return EXIT_GOOD
