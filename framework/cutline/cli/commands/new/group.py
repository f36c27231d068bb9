"""`cutline new`"""

from __future__ import annotations

import typer

from cutline.cli.commands.new.context import context
from cutline.cli.commands.new.translator import translator

new = typer.Typer(
    no_args_is_help=True,
    help="Write a package that already works, for a team to fill with meaning.",
)

for command in (context, translator):
    new.command()(command)
