"""`cutline rollout`"""

from __future__ import annotations

import typer

from cutline.cli.commands.rollout.aside import admit, aside, discard
from cutline.cli.commands.rollout.decisions import decisions
from cutline.cli.commands.rollout.feed import feed
from cutline.cli.commands.rollout.ledger import ledger
from cutline.cli.commands.rollout.moves import (
    complete,
    contract,
    expand,
    migrate,
    mirror,
    open_rollout,
    reverse_contract,
    reverse_reads,
    reverse_writes,
    stage,
    switch_reads,
    switch_writes,
)
from cutline.cli.commands.rollout.settle import settle
from cutline.cli.commands.rollout.show import show
from cutline.cli.commands.rollout.under_way import cancel, resume

rollout = typer.Typer(
    no_args_is_help=True,
    help="Move slices from the legacy to the new side, step by step, and back.",
)
switch = typer.Typer(no_args_is_help=True, help="Let the new side be read, or write.")
reverse = typer.Typer(no_args_is_help=True, help="Put back who was read, or who wrote.")

rollout.command("show")(show)
rollout.command("open")(open_rollout)
rollout.command("stage")(stage)
rollout.command("mirror")(mirror)
rollout.add_typer(switch, name="switch")
switch.command("reads")(switch_reads)
switch.command("writes")(switch_writes)
rollout.add_typer(reverse, name="reverse")
reverse.command("reads")(reverse_reads)
reverse.command("writes")(reverse_writes)
reverse.command("contract")(reverse_contract)
rollout.command("expand")(expand)
rollout.command("migrate")(migrate)
rollout.command("contract")(contract)
rollout.command("feed")(feed)
rollout.command("aside")(aside)
rollout.command("admit")(admit)
rollout.command("discard")(discard)
rollout.command("resume")(resume)
rollout.command("cancel")(cancel)
rollout.command("complete")(complete)
rollout.command("decisions")(decisions)
rollout.command("settle")(settle)
rollout.command("ledger")(ledger)
