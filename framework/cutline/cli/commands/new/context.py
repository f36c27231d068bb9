"""`cutline new context`"""

from __future__ import annotations

from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def context(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The context: lower-case letters, digits and _.")
    ],
    aggregate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its aggregate; NAME, if not said.")
    ] = None,
    event: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An event of it, in causal order; may be given again. <Aggregate>Recorded, if "
            "not said.",
        ),
    ] = None,
    dir: options.Target = None,
    in_repo: options.InRepo = False,
) -> int:
    """Write a bounded context that loads: an aggregate, its first events, tests, an entry point.

    It is a distribution of its own, in ./<name>-context if no folder is named. No file is ever
    overwritten.
    """
    from cutline.api import new_context
    from cutline.cli.commands.new.lines import scaffold_lines

    with result() as out:
        scaffold = new_context(
            name, aggregate=aggregate, events=event or (), folder=dir, in_repo=in_repo
        )
        for line in scaffold_lines(scaffold):
            out.line(line)
    return 0
