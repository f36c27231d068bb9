"""`cutline metrics`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded, tell_error
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_USAGE, ConfigurationError


@guarded
def metrics(
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write them into a file, whole or not at all."),
    ] = None,
    send: Annotated[
        bool, typer.Option("--send", help="Send them to the collector of cutline.yaml's telemetry.")
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show every slice in numbers, for Prometheus: runs, exceptions, breaks, rollout, feed."""
    from cutline.api import Project

    with result() as out:
        if send:
            if file is not None or json:
                raise ConfigurationError("--send goes alone, without --out and --json")
            out.line(f"{Project.open(project).send_metrics()} numbers were sent")
            return 0
        numbers = Project.open(project).metrics()
        if file is not None:
            numbers.write(file)
            out.line(f"{len(numbers)} numbers are in {file}")
        elif json:
            out.document(numbers.as_json())
        else:
            out.line(numbers.text().rstrip("\n"))
        for damage in numbers.damages:
            tell_error(damage)
    return EXIT_USAGE if numbers.damages else EXIT_GOOD
