"""The steps of a group that reads again: planned, started, followed, finished or cancelled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import Reconsume

Group = Annotated[str, typer.Argument(metavar="GROUP", help="The consumer group.")]
Topic = Annotated[str, typer.Option("--topic", metavar="TOPIC", help="The topic that it reads.")]
Since = Annotated[
    str,
    typer.Option(
        "--from", metavar="T", help="Records of this moment and later, or `beginning`: all of them."
    ),
]
Export = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write where the group stands, for Kafka's own reset of offsets."
    ),
]


@guarded
def plan(
    group: Group,
    topic: Topic,
    since: Since,
    export: Export = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Count what would be delivered again; nothing is moved."""
    from cutline.api import Project

    planned = Project.open(project).reconsume(group, topic=topic).plan(since)
    if export is not None:
        planned.export(export)
    return _show(planned, json=json)


@guarded
def start(
    group: Group,
    topic: Topic,
    since: Since,
    owner: Annotated[str, typer.Option(metavar="WHO", help="Who has it read again.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    export: Export = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Move the idle group back; start its service then."""
    from cutline.api import Project

    opened = Project.open(project).reconsume(group, topic=topic)
    return _show(opened.start(since, owner=owner, why=why, export=export), json=json)


@guarded
def status(
    group: Group, topic: Topic, project: options.Project = Path(), json: options.Json = False
) -> int:
    """Say how far the group is on its way to where it stood."""
    from cutline.api import Project

    return _show(Project.open(project).reconsume(group, topic=topic).status(), json=json)


@guarded
def finish(
    group: Group, topic: Topic, project: options.Project = Path(), json: options.Json = False
) -> int:
    """Forget where the group stood: it is there again."""
    from cutline.api import Project

    return _show(Project.open(project).reconsume(group, topic=topic).finish(), json=json)


@guarded
def cancel(
    group: Group, topic: Topic, project: options.Project = Path(), json: options.Json = False
) -> int:
    """Put the idle group where it stood."""
    from cutline.api import Project

    return _show(Project.open(project).reconsume(group, topic=topic).cancel(), json=json)


def _show(reconsume: Reconsume, *, json: bool) -> int:
    with result() as out:
        if json:
            out.document(reconsume.as_json())
            return 0
        out.line(
            f"group {reconsume.group} on {reconsume.topic}: {reconsume.status}, "
            f"{reconsume.records:,} records again, {reconsume.left:,} offsets left"
        )
        names = ("partition", "before", "target", "records", "unlabelled", "left")
        out.table(names, [[getattr(p, name) for name in names] for p in reconsume.partitions])
        if reconsume.unlabelled and reconsume.status == "planned":
            out.line(
                f"{reconsume.unlabelled:,} of them do not say that they are history: a handler "
                "without a gate acts on them again"
            )
    return 0
