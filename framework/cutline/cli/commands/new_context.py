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
    from cutline.api.scaffolding import made
    from cutline.scaffold.context import context_in_repo, context_package, planned_context
    from cutline.scaffold.offered import refuse_taken_context

    with result() as out:
        plan = planned_context(name, aggregate, event or ())
        refuse_taken_context(plan.name)
        for line in made((context_in_repo if in_repo else context_package)(plan, dir)):
            out.line(line)
    return 0
