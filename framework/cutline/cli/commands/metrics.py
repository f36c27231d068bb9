"""`cutline metrics`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def metrics(
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write them into a file, whole or not at all."),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show every slice in numbers, as Prometheus reads them: runs, exceptions, breaks, rollout."""
    from cutline.api import Project

    with result() as out:
        numbers = Project.open(project).metrics()
        if file is not None:
            numbers.write(file)
            out.line(f"{len(numbers)} numbers are in {file}")
        elif json:
            out.document(numbers.as_json())
        else:
            out.line(numbers.text().rstrip("\n"))
    return 0
