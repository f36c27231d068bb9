"""`cutline lineage send`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def send(project: options.Project = Path(), json: options.Json = False) -> int:
    """Send the OpenLineage events that the server did not take, oldest first."""
    from cutline.api import Project

    with result() as out:
        sent = Project.open(project).send_lineage()
        if json:
            out.document(sent.as_json())
        else:
            out.line(f"{sent.sent} events of {sent.file} were sent")
    return 0
