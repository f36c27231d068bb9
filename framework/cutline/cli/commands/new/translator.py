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
        list[str],
        typer.Option(
            "--from",
            metavar="SOURCE.TABLE",
            help="The table, as cutline.yaml names it; several by several --from, or SOURCE.* for "
            "all of a source.",
        ),
    ],
    project: options.Project = Path(),
    region: Annotated[
        str | None, typer.Option("--region", help="Profile only this region's rows.")
    ] = None,
    aggregate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Whose rows they are, if there are several; of one of several tables TABLE=NAME.",
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="What identifies a row, if it cannot be seen; of one of several tables "
            "TABLE=COLUMN,COLUMN.",
        ),
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that says what a row is; of one of several tables TABLE=COLUMN.",
        ),
    ] = None,
    personal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="Columns about people: none of their values is looked at, and the contract says "
            "so; of one of several tables TABLE=COLUMN,COLUMN.",
        ),
    ] = None,
    dir: options.Target = None,
    in_repo: options.InRepo = False,
) -> int:
    """Profile one table or several and write a translation that works, and decides nothing.

    Each table has a translator of its own. Its contract is what was seen; each status is a to-do
    whose rows are unmapped. It is a distribution of its own, in ./<name>-translator if no folder is
    named. No file is ever overwritten, and where one table does not do, nothing is written.
    """
    from cutline.api import Project
    from cutline.cli.commands.new.lines import scaffold_lines

    with result() as out:
        scaffold = Project(project).new_translator(
            name,
            context=context,
            tables=table,
            region=region,
            aggregate=aggregate or (),
            key=key or (),
            status=status or (),
            personal=personal or (),
            folder=dir,
            in_repo=in_repo,
        )
        for line in scaffold_lines(scaffold):
            out.line(line)
    return 0
