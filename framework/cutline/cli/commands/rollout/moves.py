"""The moves of a slice: each makes a plan, shows it or does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.rollout.options import ChangedBy, DryRun, Why
from cutline.cli.commands.rollout.performing import carry_out
from cutline.cli.guard import guarded

if TYPE_CHECKING:
    from cutline.api import Plan, SliceRollout

Run = Annotated[str, typer.Argument(metavar="RUN", help="The run, by its id or how that begins.")]
Percent = Annotated[int, typer.Argument(metavar="PERCENT", min=1, max=100, help="How many of 100.")]
Reader = Annotated[str, typer.Argument(metavar="READER", help="The service, by its name.")]
Share = Annotated[
    int | None,
    typer.Argument(metavar="[PERCENT]", min=1, max=100, help="How many of 100; left out, all."),
]


def _move(says: str, make: Callable[[SliceRollout], Plan]) -> Callable[..., None]:
    """The command of a move that needs to know the slice alone."""

    @guarded
    def move(
        context: options.Context,
        region: options.Region,
        dry_run: DryRun = False,
        why: Why = None,
        changed_by: ChangedBy = None,
        project: options.Project = Path(),
        json: options.Json = False,
    ) -> int:
        return _carry_out(context, region, project, make, dry_run, why, changed_by, json)

    move.__doc__ = says
    return move


open_rollout = _move(
    "Begin the rollout of a slice: the legacy is read and writes.", lambda r: r.plan_open()
)
switch_writes = _move(
    "Give the writes to the new side: hold the legacy, let everything come over, flip.",
    lambda r: r.plan_switch_writes(),
)
reverse_reads = _move(
    "Put back who was read before the last change of reads, and which release.",
    lambda r: r.plan_reverse_reads(),
)
reverse_writes = _move(
    "Give the writes back to the legacy, once all that the new side wrote is there.",
    lambda r: r.plan_reverse_writes(),
)
expand = _move(
    "Let services read the columns of the staged release beside those that they read now.",
    lambda r: r.plan_expand(),
)
contract = _move(
    "Let the views show the columns of the release alone, once every reader is confirmed.",
    lambda r: r.plan_contract(),
)
reverse_contract = _move(
    "Show the columns of the release before again, beside those of the release.",
    lambda r: r.plan_reverse_contract(),
)
complete = _move(
    "End the rollout with the new side in charge. There is no way back behind it.",
    lambda r: r.plan_complete(),
)


@guarded
def stage(
    context: options.Context,
    run: Run,
    region: options.Region,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Prepare what a run offers as the next release: only after GO, proven, published, intact."""
    return _carry_out(
        context, region, project, lambda r: r.plan_stage(run), dry_run, why, changed_by, json
    )


@guarded
def mirror(
    context: options.Context,
    percent: Percent,
    region: options.Region,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Let so many of 100 reads be asked of both sides; the legacy answers."""
    return _carry_out(
        context, region, project, lambda r: r.plan_mirror(percent), dry_run, why, changed_by, json
    )


@guarded
def migrate(
    context: options.Context,
    reader: Reader,
    region: options.Region,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Confirm that a service reads the new columns; --by names who confirms it."""
    return _carry_out(
        context, region, project, lambda r: r.plan_migrate(reader), dry_run, why, changed_by, json
    )


@guarded
def switch_reads(
    context: options.Context,
    region: options.Region,
    percent: Share = None,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Let readers be answered by the new side: so many of 100 (canary), or all."""
    return _carry_out(
        context,
        region,
        project,
        lambda r: r.plan_switch_reads(percent),
        dry_run,
        why,
        changed_by,
        json,
    )


def _carry_out(
    context: str,
    region: str,
    folder: Path,
    make: Callable[[SliceRollout], Plan],
    dry_run: bool,
    why: str | None,
    changed_by: str | None,
    json: bool,
) -> int:
    from cutline.api import Project

    opened = Project.open(folder).rollout(context, region=region)
    plan = make(opened)
    return carry_out(opened, plan, dry_run=dry_run, why=why, changed_by=changed_by, json=json)
