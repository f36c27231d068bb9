"""`cutline demo`"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO, ConfigurationError

if TYPE_CHECKING:
    from cutline.api import DemoResult, LiveDemoResult

_ORDERS, _SEED = 1_000, 7
_NAME, _RATE = "retail_demo", 2.0


@guarded
def demo(
    dir: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where to write it.")],
    orders: Annotated[
        int | None,
        typer.Option(min=100, help=f"Size of the legacy estate; left out, {_ORDERS:,}."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help=f"What its chances are drawn from; left out, {_SEED}."),
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="On servers, while orders go on arriving there.")
    ] = False,
    postgres: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --live: postgresql://USER:${PASSWORD}@HOST:5432/postgres, the password from "
            "the environment. The user may make databases and read by replication.",
        ),
    ] = None,
    kafka: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="With --live: brokers without security.")
    ] = None,
    connect: Annotated[
        str | None,
        typer.Option(metavar="URL", help="With --live: Kafka Connect with Debezium."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="With --live: of the database, connector, slot and publication, and what the "
            f"names of topics begin with; left out, {_NAME}.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=100,
            help="With --live: transactions that the legacy commits in a second; left out, "
            f"{_RATE:g}.",
        ),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="With --live: remove what the demo in DIR made there.")
    ] = False,
) -> int:
    """Write a complete sample project and run it twice: NO-GO, then GO.

    The first translation reserves bundles twice, which only the outcome level finds; the second
    takes bundles apart. Exit code 1 if the decisions are others than these.

    With --live the ERP is in PostgreSQL behind Debezium, topics are on Kafka, and orders go on
    arriving while the slice is run and then carried on twice. `make services` starts such servers
    and prints the whole command. The other legacy systems are files.
    """
    addresses = {"--postgres": postgres, "--kafka": kafka, "--connect": connect}
    of_live = {**addresses, "--name": name, "--rate": rate}
    if not live:
        only_live = {**of_live, "--clean": clean or None}
        _refuse_any(only_live, "is for --live.", "Add --live, or leave")
    if clean:
        why = "is not for --clean: the folder knows where its demo is."
        _refuse_any({**of_live, "--orders": orders, "--seed": seed}, why, "Leave")
        return _clean(dir)
    orders, seed = _ORDERS if orders is None else orders, _SEED if seed is None else seed
    if not live:
        return _in_files(dir, orders, seed)
    missing = [option for option, value in addresses.items() if value is None]
    if missing:
        raise ConfigurationError(
            f"A live demo needs {' and '.join(missing)} as well.",
            next_step="`make services` starts PostgreSQL, Kafka and Connect, and prints the whole "
            "command.",
        )
    assert postgres is not None
    assert kafka is not None
    assert connect is not None
    from cutline.api import live_demo
    from cutline.cli.progress import progress

    with result() as out, progress() as on_event:
        outcome = live_demo(
            dir,
            postgres=postgres,
            kafka=kafka,
            connect=connect,
            name=_NAME if name is None else name,
            orders=orders,
            seed=seed,
            rate=_RATE if rate is None else rate,
            on_event=on_event,
        )
        for line in _live_lines(outcome):
            out.line(line)
    return EXIT_GOOD if outcome.as_expected else EXIT_NO_GO


def _refuse_any(options: Mapping[str, object], why: str, step: str) -> None:
    """ConfigurationError that names the first of the options that has a value."""
    for option, value in options.items():
        if value is not None:
            raise ConfigurationError(f"{option} {why}", next_step=f"{step} {option} out.")


def _in_files(dir: Path, orders: int, seed: int) -> int:
    from cutline.api import demo as run_demo
    from cutline.cli.progress import progress

    with result() as out, progress() as on_event:
        runs = run_demo(dir, orders=orders, seed=seed, on_event=on_event)
        for line in _lines(runs):
            out.line(line)
    return EXIT_GOOD if runs.as_expected else EXIT_NO_GO


def _clean(dir: Path) -> int:
    from cutline.api import clean_live_demo

    with result() as out:
        for line in clean_live_demo(dir).removed:
            out.line(f"removed {line}")
        out.line(f"Nothing of the demo is left on the servers; its reports are in {dir}.")
    return EXIT_GOOD


def _lines(demo: DemoResult) -> Iterator[str]:
    """Both decisions and why, both reports, and the one command to look deeper."""
    from cutline.cli.commands.run.summary import verdict

    for major, run in ((1, demo.first), (2, demo.second)):
        yield f"translation {major}: {verdict(run)}"
        yield f"  why     {run.decided_by or 'it says no reason'}"
        yield f"  report  {run.report}"
    if not demo.as_expected:
        yield "These are not the decisions that the demo expects: NO-GO, then GO."
    look = f"show {demo.first.id} breaks --where \"level = 'outcome'\""
    yield f"Look deeper: {demo.project.command(look)}"


def _live_lines(demo: LiveDemoResult) -> Iterator[str]:
    """The decisions and why, what happened meanwhile, and what is to be seen and removed."""
    from cutline.cli.commands.run.summary import verdict

    runs = {
        "translation 1": demo.first,
        "translation 2": demo.second,
        "carried on": demo.advanced,
        "carried on, at rest": demo.last,
    }
    for title, run in runs.items():
        yield f"{title}: {verdict(run)}"
        yield f"  why     {run.decided_by or 'it says no reason'}"
        yield f"  report  {run.report}"
    if not demo.as_expected:
        yield "These are not the decisions that the demo expects: NO-GO, then GO for all others."
    yield (
        f"Meanwhile {demo.arrived:,} orders of the slice arrived, {demo.moved:,} transactions "
        f"changed others, and the new side told {demo.announced:,} events."
    )
    yield "On Kafka:"
    for topic, records in demo.topics.items():
        yield f"  {records:>9,}  {topic}"
    look = f"show {demo.first.id} breaks --where \"level = 'outcome'\""
    yield f"Look deeper: {demo.project.command(look)}"
    folder = shlex.quote(str(demo.folder))
    yield f"Remove all that it made: cutline demo --live --dir {folder} --clean"
