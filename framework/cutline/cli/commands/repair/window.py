"""`cutline repair window`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cutline.cli import options
from cutline.cli.commands.repair.arguments import Cold, Name
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import WindowRepair

_SHOWN = 20


@guarded
def window(
    name: Name,
    since: Annotated[
        str, typer.Option("--from", metavar="T1", help="Where the first wrong window begins.")
    ],
    until: Annotated[
        str, typer.Option("--to", metavar="T2", help="Where the last wrong window ends.")
    ],
    after: Annotated[
        Literal["merge", "replace"],
        typer.Option(
            help="Leave later windows as the job wrote them, or replace all that are closed."
        ),
    ] = "merge",
    corrections: Annotated[
        bool,
        typer.Option(
            "--corrections", help="Leave the table, and send retractions and additions instead."
        ),
    ] = False,
    spot_checks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rows that are known to be right: CSV, or .jsonl."),
    ] = None,
    pass_exceptions: Annotated[
        bool, typer.Option("--pass-exceptions", help="Leave out records that nobody can read.")
    ] = False,
    cold: Cold = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Compute and compare; the table stays as it is.")
    ] = False,
    plan_anew: Annotated[
        bool, typer.Option("--plan-anew", help="Forget an attempt that was begun.")
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Compute windows anew, and put them in place of those of the table, if all checks hold."""
    from cutline.api import Project

    with result() as out:
        done = (
            Project.open(project)
            .repair(name)
            .window(
                since,
                until,
                after=after,
                corrections=corrections,
                spot_checks=spot_checks,
                pass_exceptions=pass_exceptions,
                cold=cold,
                dry_run=dry_run,
                plan_anew=plan_anew,
                say=say,
            )
        )
        if json:
            out.document(done.as_json())
        else:
            for line in repair_lines(done):
                out.line(line)
        return EXIT_GOOD if done.holds else EXIT_NO_GO


def repair_lines(done: WindowRepair) -> list[str]:
    """A repair for people: what was looked at, what was wrong, and what became of it."""
    lines = [
        f"{done.id} of {done.name}, windows from {done.begin.isoformat()} to "
        f"{done.end.isoformat()}: {_end(done)}"
    ]
    for check in done.checks:
        lines.append(f"  {'ok' if check.holds else 'NO':<3} {check.name}: {check.detail}")
    if done.state is not None:
        words = {"beginning": "all events", "nothing": "nothing: a cold start"}
        lines.append(f"  state from {words.get(done.state, f'the checkpoint of {done.state}')}")
    if done.per_second is not None:
        times = done.times_live
        ratio = "" if times is None else f", {times:,.1f} times as fast as they came"
        slow = ", which is slower than `pace` asks for" if done.slow else ""
        lines.append(f"  {done.per_second:,.0f} records a second{ratio}{slow}")
    wrong = [window for window in done.windows if window.wrong]
    for row in wrong[:_SHOWN]:
        lines.append(
            f"  {row.begin.isoformat()}  {row.before:,} rows, computed {row.after:,}, wrong "
            f"{row.wrong:,}"
        )
    if len(wrong) > _SHOWN:
        lines.append(f"  and {len(wrong) - _SHOWN:,} more windows: see --json")
    lines += [f"    {sample}" for sample in done.samples]
    return lines


def _end(done: WindowRepair) -> str:
    if not done.holds and done.changed:
        return "the table was changed before this was killed, and not all checks hold any more"
    if not done.holds:
        return "nothing was changed, for not all checks hold"
    if done.dry_run:
        return f"{done.wrong:,} rows would be put right"
    if done.corrections:
        return f"{done.corrections:,} corrections were sent for {done.wrong:,} wrong rows"
    if done.changed:
        return f"{done.wrong:,} rows were put right" if done.wrong else "it was put right before"
    return "no row is wrong" if not done.wrong else "its corrections were sent before"
