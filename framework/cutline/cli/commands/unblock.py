"""`cutline unblock`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import BlockedConsumer


@guarded
def unblock(
    group: Annotated[
        str, typer.Argument(metavar="GROUP", help="The consumer group that stands still.")
    ],
    topic: Annotated[
        str, typer.Option("--topic", metavar="TOPIC", help="The topic that it reads.")
    ],
    wait: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="How long it must not have moved."),
    ] = 10.0,
    park: Annotated[
        int | None,
        typer.Option(metavar="PARTITION", min=0, help="Set the record aside that blocks it."),
    ] = None,
    owner: Annotated[
        str | None, typer.Option(metavar="WHO", help="With --park: who answers for the record.")
    ] = None,
    why: Annotated[
        str | None, typer.Option(metavar="TEXT", help="With --park: why it is set aside.")
    ] = None,
    pass_siblings: Annotated[
        bool,
        typer.Option("--pass-siblings", help="With --park: later records of its key do without."),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Name the record that a consumer group stands before on Kafka, and set it aside."""
    from cutline.api import Project
    from cutline.errors import ConfigurationError

    if park is None and (owner is not None or why is not None or pass_siblings):
        raise ConfigurationError(
            "--owner, --why and --pass-siblings are for --park", next_step="Leave them out."
        )
    if park is not None and (owner is None or why is None):
        raise ConfigurationError(
            "whoever sets a record aside says so",
            left_behind="No record was moved.",
            next_step="Give --owner and --why.",
        )
    with result() as out:
        opened = Project.open(project)
        if park is not None and owner is not None and why is not None:
            blocked = [
                opened.park(
                    group,
                    topic=topic,
                    partition=park,
                    owner=owner,
                    why=why,
                    pass_siblings=pass_siblings,
                    wait=wait,
                )
            ]
        else:
            blocked = list(opened.blocked_consumers(group, topic=topic, wait=wait))
        if json:
            out.document([partition.as_json() for partition in blocked])
        else:
            for partition in blocked:
                for line in blocked_lines(partition):
                    out.line(line)
            if not blocked:
                out.line(f"Nothing blocks group {group} on {topic}.")
        return EXIT_NO_GO if blocked and park is None else EXIT_GOOD


def blocked_lines(blocked: BlockedConsumer) -> list[str]:
    """A partition that stands still, for people: the record that it stands before."""
    lines = [
        f"{blocked.topic}[{blocked.partition}]: group {blocked.group} stands at offset "
        f"{blocked.progress:,}, {blocked.lag:,} behind"
    ]
    if blocked.offset is None:
        return [*lines, f"  retention has removed what it was to read, before {blocked.first:,}"]
    event = f"{blocked.type} {blocked.event_id} of {blocked.subject}, " if blocked.type else ""
    lines.append(
        f"  before {event}key {blocked.key}, {blocked.time:%Y-%m-%d %H:%M:%S}, {blocked.bytes:,} "
        f"bytes, at offset {blocked.offset:,}"
    )
    if blocked.siblings:
        lines.append(f"  {blocked.siblings:,} later records of its key stand behind it")
    if blocked.parked:
        lines.append(f"  set aside on {blocked.parked}; the group goes on behind it")
    else:
        lines.append(
            f"  next: stop the service, then cutline unblock {blocked.group} --topic "
            f"{blocked.topic} --park {blocked.partition} --owner … --why …"
        )
    return lines
