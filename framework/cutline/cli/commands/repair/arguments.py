"""What the commands of `cutline repair` have in common."""

from __future__ import annotations

from typing import Annotated

import typer

Name = Annotated[str, typer.Argument(metavar="NAME", help="The repair, as cutline.yaml names it.")]
Cold = Annotated[
    bool,
    typer.Option("--cold", help="Begin with an empty state where nobody knows what came before."),
]
