"""`cutline repair`"""

from __future__ import annotations

import typer

from cutline.cli.commands.repair.checkpoint import checkpoint
from cutline.cli.commands.repair.reverse import reverse
from cutline.cli.commands.repair.window import window

repair = typer.Typer(
    no_args_is_help=True,
    help="Compute windows of a table anew from events, and put right what is wrong.",
)
for command in (window, reverse, checkpoint):
    repair.command()(command)
