"""`cutline rehearse`"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.logs import say
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO, ConfigurationError

if TYPE_CHECKING:
    from cutline.api import Rehearsal, ReplayRehearsal
    from cutline.cli.output import Output


@guarded
def rehearse(
    context: Annotated[
        str | None, typer.Argument(metavar="CONTEXT", help="The bounded context.")
    ] = None,
    region: Annotated[str | None, typer.Option("--region", help="The region of the slice.")] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            "--replay", metavar="NAME", help="In place of a slice: a replay of cutline.yaml."
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="TOPIC", help="The replay's destination.")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="The run, by its id or how that begins; left out, the newest GO.",
        ),
    ] = None,
    share: Annotated[
        float, typer.Option("--share", min=0, max=1, help="The share of its events.")
    ] = 0.01,
    rate: Annotated[
        int | None, typer.Option("--rate", metavar="N", min=1, help="Messages a second, at most.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="The live group of cutline.yaml that is looked at; left out, all."
        ),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Only remove what rehearsals left that were killed.")
    ] = False,
    changed_by: Annotated[
        str | None,
        typer.Option(
            "--by", help="Who does it, for the evidence; else the user.", callback=options.not_blank
        ),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Publish a share of a run, or of a replay, beside live traffic, measure it, read it back, and
    remove it."""
    from cutline.api import Project

    opened = Project.open(project)
    if replay is not None or to is not None or context is None or region is None:
        if None in (replay, to) or (context, region, run) != (None, None, None):
            raise ConfigurationError(
                "a rehearsal is of a slice, by CONTEXT and --region, or of a replay, by --replay "
                "and --to",
                left_behind="Nothing was sent.",
                next_step="Give one of them, and not the other; --run is of a slice.",
            )
        assert replay is not None
        assert to is not None
        with result() as out:
            if clean:
                removed = opened.clean_replay_rehearsals(replay, to=to)
                return _removed(out, removed, as_json=json)
            tried = opened.rehearse_replay(
                replay, to=to, share=share, rate=rate, group=group, made_by=changed_by, say=say
            )
            lines = [] if json else replay_rehearsal_lines(tried)
            return _ended(out, tried, lines, as_json=json)
    with result() as out:
        if clean:
            return _removed(out, opened.clean_rehearsals(context, region=region), as_json=json)
        end = opened.rehearse(
            context,
            region=region,
            run=run,
            share=share,
            rate=rate,
            group=group,
            made_by=changed_by,
            say=say,
        )
        return _ended(out, end, [] if json else rehearsal_lines(end), as_json=json)


def _ended(
    out: Output, end: Rehearsal | ReplayRehearsal, lines: Iterable[str], *, as_json: bool
) -> int:
    if as_json:
        out.document(end.as_json())
    for line in lines:
        out.line(line)
    return EXIT_GOOD if end.outcome == "passed" else EXIT_NO_GO


def _removed(out: Output, removed: dict[str, int], *, as_json: bool) -> int:
    if as_json:
        out.document({"removed": removed})
    for line in () if as_json else _removed_lines(removed):
        out.line(line)
    return EXIT_GOOD


def _removed_lines(removed: dict[str, int]) -> list[str]:
    lines = [f"{namespace}: {topics} topics removed" for namespace, topics in removed.items()]
    return lines or ["Nothing was left."]


def rehearsal_lines(end: Rehearsal) -> list[str]:
    """A rehearsal for people: how it ended, what was sent, and what each gate makes of it."""
    figures = end.figures
    lines = _removed_lines(dict(end.removed)) if end.removed else []
    lines += [
        f"rehearsal of run {end.run_id}: {end.outcome}",
        f"  {figures['events']:,} of {figures['events_of_run']:,} events and "
        f"{figures['states']:,} states, {figures['records_per_second']:,} a second, "
        f"in {end.namespace}",
    ]
    lines += _gate_lines(figures["gates"])
    lines.append(f"next: cutline readiness {end.context} --region {end.region}")
    return lines


def replay_rehearsal_lines(end: ReplayRehearsal) -> list[str]:
    """The rehearsal of a replay for people."""
    figures = end.figures
    lines = _removed_lines(dict(end.removed)) if end.removed else []
    lines += [
        f"rehearsal of {end.id} of {end.name} to {end.destination}: {end.outcome}",
        f"  {figures['records']:,} of {figures['records_of_replay']:,} records of "
        f"{figures['keys']:,} keys, {figures['records_per_second']:,} a second, in {end.namespace}",
        f"  {figures['exceptions']:,} exceptions, {figures['waiting']:,} waiting behind them",
        f"  all of it at this rate: {figures['projected_seconds']:,.0f} s",
        *_gate_lines(figures["gates"]),
        f"next: cutline replay {end.name} --to {end.destination}",
    ]
    return lines


def _gate_lines(gates: Mapping[str, Any]) -> list[str]:
    width = max(map(len, gates))
    return [
        f"  {'yes' if gate['passed'] else 'NO '}  {name:<{width}}  {gate['says']}"
        for name, gate in gates.items()
    ]
