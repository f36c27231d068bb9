"""`cutline profile`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result


@guarded
def profile(
    table: Annotated[
        str,
        typer.Argument(metavar="SOURCE.TABLE", help="A table, as cutline.yaml names it."),
    ],
    project: options.Project = Path(),
    region: Annotated[
        str | None, typer.Option("--region", help="Only this region's rows; else all.")
    ] = None,
    hide: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="Count these columns and show none of their values. What an installed contract "
            "marks as personal is hidden anyway.",
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Show what a table holds: types, nulls, values, keys, and which times each status has.

    No contract and no translator is needed: every column of the table is looked at.
    """
    from cutline.api import Project
    from cutline.cli.lists import split

    with result() as out:
        table_profile = Project.open(project).profile(
            table, region=region, hide=tuple(split(hide or ()))
        )
        if json:
            out.document(table_profile.as_json())
        else:
            from cutline.cli.commands.profile.view import show_profile

            show_profile(out, table_profile)
    return 0
