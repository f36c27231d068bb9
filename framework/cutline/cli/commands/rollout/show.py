"""`cutline rollout show`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cutline.cli import options
from cutline.cli.commands.rollout.overview import feed, newest, readiness
from cutline.cli.guard import guarded, tell_error
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_USAGE

if TYPE_CHECKING:
    from cutline.api import RolloutOverview

NAMES = (
    *("context", "slice", "stands", "step", "reads", "writes", "epoch", "denial"),
    *("release", "staged", "readiness", "newest run"),
)


@guarded
def show(
    context: Annotated[
        str | None,
        typer.Argument(metavar="CONTEXT", help="The bounded context; left out, all of them."),
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region; left out, all of them.")
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show the board: who is read and who writes in every slice, and what can be done next."""
    from cutline.api import Project

    with result() as out:
        overviews = Project.open(project).rollouts(context, region=region)
        damages = [o.damage for o in overviews if o.damage is not None]
        code = EXIT_USAGE if damages else EXIT_GOOD
        if json:
            out.document(overviews.as_json())
            for damage in damages:
                tell_error(damage)
            return code
        out.table(NAMES, [_row(overview) for overview in overviews])
        for overview in overviews:
            if overview.feed:
                out.line(f"feed: {overview.context}/{overview.region}, {feed(overview)}")
        for overview in overviews:
            if not overview.is_declared:
                out.line(
                    f"{overview.context}/{overview.region} is not in cutline.yaml any more: "
                    "declare it again before anything can be done with its rollout"
                )
            for command in overview.next:
                out.line(f"next: {command}")
        for damage in damages:
            tell_error(damage)
    return code


def _row(o: RolloutOverview) -> list[Any]:
    stands = [o.context, o.region, o.stands, o.step or "", o.read_by, o.written_by]
    if o.damage is not None:
        return [*stands, *[""] * (len(NAMES) - len(stands))]
    return [
        *(*stands, o.epoch, o.denial or "", o.release or "", o.staged or ""),
        *(readiness(o), newest(o) if o.last_run else "none"),
    ]
