"""`cutline rollout resume` and `cutline rollout cancel`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.commands.rollout.options import ChangedBy, DryRun, Why
from cutline.cli.commands.rollout.performing import carry_out, plan_lines, show_event, show_overview
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_FAILED, EXIT_GOOD, EXIT_NO_GO


@guarded
def resume(
    context: options.Context,
    region: options.Region,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Go on with what was interrupted.

    A hold whose time is over is given back instead: then the exit code is 3.
    """
    from cutline.api import Project

    opened = Project.open(project).rollout(context, region=region)
    with result() as out:
        if dry_run:
            plan = opened.plan_resume()
            if json:
                out.document(plan.model_dump(mode="json"))
            for line in () if json else plan_lines(plan):
                out.line(line)
            return EXIT_NO_GO if plan.refused or plan.undoes else EXIT_GOOD
        overview = opened.resume(why=why, changed_by=changed_by, on_event=show_event)
        newest = opened.ledger()[0]
        if newest.event == "undone" and not json:
            out.line(f"{newest.command} was taken back: {newest.why}")
        show_overview(out, overview, json=json)
        return EXIT_FAILED if newest.event == "undone" else EXIT_GOOD


@guarded
def cancel(
    context: options.Context,
    region: options.Region,
    dry_run: DryRun = False,
    why: Why = None,
    changed_by: ChangedBy = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Take back what is under way; if nothing is, end the rollout with the legacy as it was."""
    from cutline.api import Project

    opened = Project.open(project).rollout(context, region=region)
    under_way = opened.under_way()
    if under_way is None:
        plan = opened.plan_cancel()
        return carry_out(opened, plan, dry_run=dry_run, why=why, changed_by=changed_by, json=json)
    with result() as out:
        if dry_run:
            overview = opened.overview()
            step = overview.step
            is_behind = step is not None and under_way.is_behind_return(step)
            if json:
                document = {"undoes": under_way.model_dump(mode="json"), "step": step}
                out.document(document | {"refused": is_behind})
            elif is_behind:
                out.line(f"{under_way.command} is behind its point of no return, at step {step}")
            else:
                out.line(f"{under_way.command} would be undone, which stands at {step}")
            return EXIT_NO_GO if is_behind else EXIT_GOOD
        overview = opened.cancel_plan(why=why, changed_by=changed_by, on_event=show_event)
        show_overview(out, overview, json=json)
    return 0
