"""The steps of a group that reads again: planned, started, followed, finished or cancelled.

A group that is moved back, and one whose service gets the past beside it or by a handover, have the
same steps; `--way` says which it is to be, and afterwards what is under way says it.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.reconsume.shown import show_handover, show_reconsume
from cutline.cli.guard import guarded

if TYPE_CHECKING:
    from cutline.api import GroupHandover, GroupReconsume, HandoverWay


class ReconsumeWay(StrEnum):
    """How a group is to read again."""

    RESET = "reset"
    BESIDE = "beside"
    HANDOVER = "handover"


Group = Annotated[str, typer.Argument(metavar="GROUP", help="The consumer group.")]
Topic = Annotated[str, typer.Option("--topic", metavar="TOPIC", help="The topic that it reads.")]
Since = Annotated[
    str,
    typer.Option(
        "--from", metavar="T", help="From which moment on, or `beginning`: all that is there."
    ),
]
Way = Annotated[
    ReconsumeWay,
    typer.Option(
        help="`reset` moves the idle group back. `beside` and `handover` give the past to a "
        "handler that the service got later, in a group of its own: up to where the service "
        "stands now, or until it has caught up with the service."
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
    way: Way = ReconsumeWay.RESET,
    export: Export = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Count what would be read again; nothing is moved."""
    from cutline.api import Project

    opened = Project.open(project)
    if way is not ReconsumeWay.RESET:
        _refuse_export(export, way)
        planned = opened.handover(group, topic=topic).plan(since, way=_of_handover(way))
        return show_handover(planned, json=json)
    reconsume = opened.reconsume(group, topic=topic).plan(since)
    if export is not None:
        reconsume.export(export)
    return show_reconsume(reconsume, json=json)


@guarded
def start(
    group: Group,
    topic: Topic,
    since: Since,
    owner: Annotated[str, typer.Option(metavar="WHO", help="Who has it read again.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")],
    way: Way = ReconsumeWay.RESET,
    export: Export = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Move the idle group back, or begin a handover; what to start then is said."""
    from cutline.api import Project

    opened = Project.open(project)
    if way is not ReconsumeWay.RESET:
        _refuse_export(export, way)
        handover = opened.handover(group, topic=topic)
        return show_handover(
            handover.start(since, owner=owner, why=why, way=_of_handover(way)), json=json
        )
    reconsume = opened.reconsume(group, topic=topic)
    return show_reconsume(reconsume.start(since, owner=owner, why=why, export=export), json=json)


@guarded
def status(
    group: Group, topic: Topic, project: options.Project = Path(), json: options.Json = False
) -> int:
    """Say how far it is."""
    reconsume, handover = _under_way(project, group, topic)
    if handover is not None:
        return show_handover(handover.status(), json=json)
    return show_reconsume(reconsume.status(), json=json)


@guarded
def finish(
    group: Group,
    topic: Topic,
    remove_tables: Annotated[
        bool,
        typer.Option(
            "--remove-tables",
            help="Of a handover: the service runs without its wrapper; remove its tables.",
        ),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """End it: the group is where it stood, or each partition is handed over."""
    reconsume, handover = _under_way(project, group, topic)
    if handover is not None:
        return show_handover(handover.finish(remove_tables=remove_tables), json=json)
    if remove_tables:
        raise typer.BadParameter("--remove-tables is for a handover, and none is under way")
    return show_reconsume(reconsume.finish(), json=json)


@guarded
def cancel(
    group: Group, topic: Topic, project: options.Project = Path(), json: options.Json = False
) -> int:
    """Put the idle group where it stood, or give the handover up."""
    reconsume, handover = _under_way(project, group, topic)
    if handover is not None:
        return show_handover(handover.cancel(), json=json)
    return show_reconsume(reconsume.cancel(), json=json)


def _under_way(
    project: Path, group: str, topic: str
) -> tuple[GroupReconsume, GroupHandover | None]:
    """Both ways of a group; null for a handover that is not under way."""
    from cutline.api import Project

    opened = Project.open(project)
    handover = opened.handover(group, topic=topic)
    reconsume = opened.reconsume(group, topic=topic)
    return reconsume, handover if handover.is_under_way() else None


def _of_handover(way: ReconsumeWay) -> HandoverWay:
    return "beside" if way is ReconsumeWay.BESIDE else "handover"


def _refuse_export(export: Path | None, way: ReconsumeWay) -> None:
    if export is not None:
        raise typer.BadParameter(
            f"--way {way} leaves the group where it stands: --export is for --way reset"
        )
