"""`cutline reconsume`"""

from __future__ import annotations

import typer

from cutline.cli.commands.reconsume.steps import cancel, finish, plan, start, status

reconsume = typer.Typer(
    no_args_is_help=True,
    help="Let a consumer group of Kafka read a part of a topic once more, or give that to a "
    "handler that its service got later.",
)
for command in (plan, start, status, finish, cancel):
    reconsume.command()(command)
