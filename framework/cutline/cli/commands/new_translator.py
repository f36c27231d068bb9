"""`cutline new translator`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def translator(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The translation: lower-case letters, digits and _."),
    ],
    context: Annotated[
        str, typer.Option(metavar="CONTEXT", help="The installed context that it is for.")
    ],
    table: Annotated[
        str,
        typer.Option("--from", metavar="SOURCE.TABLE", help="The table, as cutline.yaml names it."),
    ],
    project: options.Project = Path(),
    region: Annotated[
        str | None, typer.Option("--region", help="Profile only this region's rows.")
    ] = None,
    aggregate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose rows they are, if there are several.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,COLUMN", help="What identifies a row, if it cannot be seen."),
    ] = None,
    status: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column that says what a row is.")
    ] = None,
    personal: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="Columns about people: none of their values is looked at, and the contract says "
            "so.",
        ),
    ] = None,
    dir: options.Target = None,
    in_repo: options.InRepo = False,
) -> int:
    """Profile a table and write a translation of it that works, and decides nothing.

    Its contract is what was seen; each status is a to-do whose rows are unmapped. It is a
    distribution of its own, in ./<name>-translator if no folder is named. No file is ever
    overwritten.
    """
    from cutline.cli.making import made, translator_plan
    from cutline.scaffold.translator import translator_in_repo, translator_package

    with result() as out:
        plan = translator_plan(
            name, context, table, project, region, aggregate, key, status, personal
        )
        for line in made((translator_in_repo if in_repo else translator_package)(plan, dir)):
            out.line(line)
    return 0
