"""The commands of `cutline`, and its front door."""

from __future__ import annotations

from typing import Annotated

import typer

from cutline.cli.commands.advance import advance
from cutline.cli.commands.advise import advise
from cutline.cli.commands.backfill import backfill, serve
from cutline.cli.commands.certify import certify
from cutline.cli.commands.check import check
from cutline.cli.commands.clean import clean
from cutline.cli.commands.compare import compare
from cutline.cli.commands.compare_runs import compare_runs
from cutline.cli.commands.coverage import coverage
from cutline.cli.commands.cut import cut
from cutline.cli.commands.demo import demo
from cutline.cli.commands.exceptions import exceptions
from cutline.cli.commands.explain import explain
from cutline.cli.commands.feed import feed
from cutline.cli.commands.lineage import lineage
from cutline.cli.commands.metrics import metrics
from cutline.cli.commands.new import new
from cutline.cli.commands.profile import profile
from cutline.cli.commands.publications import publications
from cutline.cli.commands.quotas import quotas
from cutline.cli.commands.readiness import readiness
from cutline.cli.commands.rebuild import rebuild
from cutline.cli.commands.reconsume import reconsume
from cutline.cli.commands.rehearse import rehearse
from cutline.cli.commands.repair import repair
from cutline.cli.commands.replay import replay
from cutline.cli.commands.reports import reports
from cutline.cli.commands.resend import resend
from cutline.cli.commands.rollout import rollout
from cutline.cli.commands.run import run
from cutline.cli.commands.runs import runs
from cutline.cli.commands.schema import schema
from cutline.cli.commands.share_classes import share_classes
from cutline.cli.commands.show import show
from cutline.cli.commands.snapshot import rehydrate, snapshot
from cutline.cli.commands.status import status
from cutline.cli.commands.translators import translators
from cutline.cli.commands.unblock import unblock
from cutline.cli.commands.waive import waive
from cutline.cli.logs import LogFormat, show_logs
from cutline.version import __version__

app = typer.Typer(
    name="cutline",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cutline {__version__}")
        raise typer.Exit


_EXIT_CODES = (
    "Exit codes: 0 good, 1 the decision is NO-GO, something is unmapped, two tables differ, a "
    "replay has exceptions, a backfill failed, a check of a repair does not hold, a resend left "
    "somebody out, a partition is blocked, no way to give a side its past fits or a guard refuses, "
    "2 something is written wrong, 3 a run stopped half-way and can be run again."
)


@app.callback(epilog=_EXIT_CODES)
def cutline(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, help="Log to stderr what a run does; -vv says more."
        ),
    ] = 0,
    log_format: Annotated[
        LogFormat | None,
        typer.Option(help="How to log: text, or json with one object a line."),
    ] = None,
) -> None:
    """Moves a bounded context off a legacy system without lying about its history."""
    del version
    show_logs(verbose, log_format)


COMMANDS = (
    run,
    advance,
    status,
    runs,
    show,
    explain,
    cut,
    certify,
    waive,
    publications,
    metrics,
    advise,
    readiness,
    rehearse,
    replay,
    serve,
    quotas,
    rehydrate,
    rebuild,
    feed,
    resend,
    unblock,
    reports,
    compare_runs,
    clean,
    schema,
    check,
    coverage,
    profile,
    compare,
    translators,
    demo,
    share_classes,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(exceptions, name="exceptions")
app.add_typer(rollout, name="rollout")
app.add_typer(reconsume, name="reconsume")
app.add_typer(repair, name="repair")
app.add_typer(backfill, name="backfill")
app.add_typer(snapshot, name="snapshot")
app.add_typer(lineage, name="lineage")
app.add_typer(new, name="new")


def main() -> None:
    """Run the command line; ends the process with the command's exit code."""
    app(prog_name="cutline")
