"""`cutline demo`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO


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
    from cutline.cli.demonstration import demonstrate

    with result() as out:
        told = demonstrate(dir, orders, seed)
        for line in told.lines():
            out.line(line)
    return EXIT_GOOD if told.as_expected else EXIT_NO_GO
