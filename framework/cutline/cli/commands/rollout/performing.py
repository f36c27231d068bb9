"""Showing a plan, and performing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from cutline.cli.commands.rollout.overview import overview_lines
from cutline.cli.logs import in_json
from cutline.cli.output import Output, result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO
from cutline.wording import printable_lines

if TYPE_CHECKING:
    from cutline.api import Plan, RolloutEvent, RolloutOverview, SliceRollout


def show_event(event: RolloutEvent) -> None:
    """A line on stderr as a step begins, which JSON lines of the log stand in for."""
    if event.phase != "done" and not in_json():
        typer.echo(printable_lines(str(event)), err=True)


def show_overview(out: Output, overview: RolloutOverview, *, json: bool) -> None:
    """Where a rollout stands now."""
    if json:
        out.document(overview.as_json())
    else:
        for line in overview_lines(overview):
            out.line(line)


def carry_out(
    slice_rollout: SliceRollout,
    plan: Plan,
    *,
    dry_run: bool,
    why: str | None,
    changed_by: str | None,
    json: bool,
) -> int:
    """Show the plan alone if it is dry or refused, else do it and show where the rollout stands."""
    with result() as out:
        if dry_run or plan.refused:
            if json:
                out.document(plan.model_dump(mode="json"))
            else:
                for line in plan_lines(plan):
                    out.line(line)
            return EXIT_NO_GO if plan.refused else EXIT_GOOD
        overview = slice_rollout.perform(plan, why=why, changed_by=changed_by, on_event=show_event)
        show_overview(out, overview, json=json)
    return EXIT_GOOD


def plan_lines(plan: Plan) -> list[str]:
    """A plan for people: what must hold, with what was looked at, then its steps."""
    refused = ": refused" if plan.refused else ""
    place = f"{plan.command} of {plan.context}/{plan.region}"
    if plan.undoes is not None:
        return [f"{place} would be taken back: {plan.undoes}"]
    lines = [f"{place}{refused}", *(["", "what must hold"] if plan.guards else [])]
    width = max((len(guard.name) for guard in plan.guards), default=0)
    for guard in plan.guards:
        mark = "yes" if guard.passed else "NO "
        lines.append(f"  {mark}  {guard.name:<{width}}  {guard.says}")
        if not guard.passed and guard.next_command:
            lines.append(f"       {'':<{width}}  next: {guard.next_command}")
    if plan.steps:
        lines += ["", "steps"]
    width = max((len(step.name) for step in plan.steps), default=0)
    for number, step in enumerate(plan.steps, 1):
        mark = "  (point of no return)" if step.point_of_no_return else ""
        lines.append(f"  {number:>2}  {step.name:<{width}}  {step.says}{mark}")
    return lines
