"""`cutline exceptions`"""

from __future__ import annotations

import typer

from cutline.cli.commands.exceptions.assign import assign
from cutline.cli.commands.exceptions.discard import discard
from cutline.cli.commands.exceptions.listing import list_exceptions
from cutline.cli.commands.exceptions.redrive import redrive
from cutline.cli.commands.exceptions.show import show

exceptions = typer.Typer(
    no_args_is_help=True,
    help="Work through the rows and events that wait for a person.",
)
exceptions.command("list")(list_exceptions)
exceptions.command("show")(show)
exceptions.command("assign")(assign)
exceptions.command("redrive")(redrive)
exceptions.command("discard")(discard)
