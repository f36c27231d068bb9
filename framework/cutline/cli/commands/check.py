"""`cutline check`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO, EXIT_USAGE

if TYPE_CHECKING:
    from cutline.api import CheckReport


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
            help="Also compile the translators and the SQL of outcomes and waivers, and let the "
            "translators say what they make of what is there: values that no rule has an eye on "
            "are refused.",
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
            from cutline.api import project_schema

            out.document(project_schema())
            return EXIT_GOOD

        from cutline.api import Project

        report = Project.open(project).check(strict=strict, conformance=conformance)
        if json:
            out.document(report.as_json())
        else:
            for line in _lines(report):
                out.line(line)
    return _exit_code(report)


def _lines(report: CheckReport) -> Iterator[str]:
    """One line per sentence, and the sum."""
    yield from (f"ok       {sentence}" for sentence in report.good)
    yield from (f"unused   {sentence}" for sentence in report.unused)
    yield from (f"refused  {sentence}" for sentence in report.refused)
    yield from (f"problem  {sentence}" for sentence in report.problems)
    yield report.summary


def _exit_code(report: CheckReport) -> int:
    """2 where a run would stop, 1 where a gate says no, else 0."""
    if report.problems:
        return EXIT_USAGE
    return EXIT_NO_GO if report.refused else EXIT_GOOD
