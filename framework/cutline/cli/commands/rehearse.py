"""`cutline rehearse`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Rehearsal


@guarded
def rehearse(
    context: options.Context,
    region: options.Region,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="The run, by its id or how that begins; left out, the newest GO.",
        ),
    ] = None,
    share: Annotated[
        float, typer.Option("--share", min=0, max=1, help="The share of its events.")
    ] = 0.01,
    rate: Annotated[
        int | None, typer.Option("--rate", metavar="N", min=1, help="Messages a second, at most.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="The live group of cutline.yaml that is looked at; left out, all."
        ),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Only remove what rehearsals left that were killed.")
    ] = False,
    changed_by: Annotated[
        str | None,
        typer.Option(
            "--by", help="Who does it, for the evidence; else the user.", callback=options.not_blank
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Publish a share of a run beside live traffic, measure it, read it back, and remove it."""
    from cutline.api import Project

    opened = Project.open(project)
    with result() as out:
        if clean:
            removed = opened.clean_rehearsals(context, region=region)
            if json:
                out.document({"removed": removed})
            for line in () if json else _removed_lines(removed):
                out.line(line)
            return EXIT_GOOD
        end = opened.rehearse(
            context,
            region=region,
            run=run,
            share=share,
            rate=rate,
            group=group,
            made_by=changed_by,
            say=say,
        )
        if json:
            out.document(end.as_json())
        else:
            for line in rehearsal_lines(end):
                out.line(line)
        return EXIT_GOOD if end.outcome == "passed" else EXIT_NO_GO


def _removed_lines(removed: dict[str, int]) -> list[str]:
    lines = [f"{namespace}: {topics} topics removed" for namespace, topics in removed.items()]
    return lines or ["Nothing was left."]


def rehearsal_lines(end: Rehearsal) -> list[str]:
    """A rehearsal for people: how it ended, what was sent, and what each gate makes of it."""
    figures = end.figures
    lines = _removed_lines(dict(end.removed)) if end.removed else []
    lines += [
        f"rehearsal of run {end.run_id}: {end.outcome}",
        f"  {figures['events']:,} of {figures['events_of_run']:,} events and "
        f"{figures['states']:,} states, {figures['records_per_second']:,} a second, "
        f"in {end.namespace}",
    ]
    width = max(map(len, figures["gates"]))
    for name, gate in figures["gates"].items():
        mark = "yes" if gate["passed"] else "NO "
        lines.append(f"  {mark}  {name:<{width}}  {gate['says']}")
    lines.append(f"next: cutline readiness {end.context} --region {end.region}")
    return lines
