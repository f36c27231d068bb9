"""Arguments and options that the commands of `cutline exceptions` share."""

from __future__ import annotations

from typing import Annotated

import typer

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID]...", help="Ids of exceptions, or how they begin."),
]
Rules = Annotated[
    list[str] | None, typer.Option("--rule", help="All exceptions of a rule; may be repeated.")
]
