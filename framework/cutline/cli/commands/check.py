"""`cutline check`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD


@guarded
def check(
    project: options.Project = Path(),
    json: options.Json = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of cutline.yaml instead.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Also compile the translators, and let them say what they make of what is there: "
            "values that no rule has an eye on are refused.",
        ),
    ] = False,
    conformance: Annotated[
        bool,
        typer.Option(
            "--conformance",
            help="Also try the project's translators on generated histories; it takes minutes.",
        ),
    ] = False,
) -> int:
    """Look at the project, its plugins and its sources without running anything.

    What would stop a run, and a translator that does not conform, are problems: exit code 2. Values
    that are unmapped are refused: exit code 1.
    """
    with result() as out:
        if schema:
            from cutline.project import json_schema

            out.document(json_schema())
            return EXIT_GOOD

        from cutline.cli.checking import checked

        found = checked(project, strict=strict)
        if conformance:
            from cutline.cli.conforming import conforming

            conforming(project, found)
        if json:
            out.document(found.as_json())
        else:
            for line in found.lines():
                out.line(line)
    return found.exit_code
