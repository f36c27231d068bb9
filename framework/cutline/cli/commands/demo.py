"""`cutline demo`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import DemoResult


@guarded
def demo(
    dir: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where to write it.")],
    orders: Annotated[int, typer.Option(min=100, help="Size of the legacy estate.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="What its chances are drawn from.")] = 7,
) -> int:
    """Write a complete sample project and run it twice: NO-GO, then GO.

    The first translation reserves bundles twice, which only the outcome level finds; the second
    takes bundles apart. Exit code 1 if the decisions are others than these.
    """
    from cutline.api import demo as run_demo
    from cutline.cli.progress import progress

    with result() as out, progress() as on_event:
        runs = run_demo(dir, orders=orders, seed=seed, on_event=on_event)
        for line in _lines(runs):
            out.line(line)
    return EXIT_GOOD if runs.as_expected else EXIT_NO_GO


def _lines(demo: DemoResult) -> Iterator[str]:
    """Both decisions and why, both reports, and the one command to look deeper."""
    from cutline.cli.commands.run.summary import verdict

    for major, run in ((1, demo.first), (2, demo.second)):
        yield f"translation {major}: {verdict(run)}"
        yield f"  why     {run.decided_by or 'it says no reason'}"
        yield f"  report  {run.report}"
    if not demo.as_expected:
        yield "These are not the decisions that the demo expects: NO-GO, then GO."
    look = f"show {demo.first.id} breaks --where \"level = 'outcome'\""
    yield f"Look deeper: {demo.project.command(look)}"
