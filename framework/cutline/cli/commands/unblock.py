"""`cutline unblock`"""

from __future__ import annotations

import shlex
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
        str | None,
        typer.Option(
            metavar="PARTITION:OFFSET", help="Set the record at that place aside; no waiting."
        ),
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
            partition, offset = _place(park)
            blocked = [
                opened.park(
                    group,
                    topic=topic,
                    partition=partition,
                    offset=offset,
                    owner=owner,
                    why=why,
                    pass_siblings=pass_siblings,
                )
            ]
        else:
            blocked = list(opened.blocked_consumers(group, topic=topic, wait=wait))
        if json:
            out.document([consumer.as_json() for consumer in blocked])
        else:
            for consumer in blocked:
                for line in blocked_lines(consumer):
                    out.line(line)
            if not blocked:
                out.line(f"Nothing blocks group {group} on {topic}.")
        return EXIT_NO_GO if blocked and park is None else EXIT_GOOD


def _place(text: str) -> tuple[int, int]:
    from cutline.errors import ConfigurationError

    partition, _, offset = text.partition(":")
    if not (partition.isdecimal() and offset.isdecimal()):
        raise ConfigurationError(
            f"--park {text!r} names no record",
            left_behind="No record was moved.",
            next_step="Give its partition and offset, such as --park 0:41207.",
        )
    return int(partition), int(offset)


def blocked_lines(blocked: BlockedConsumer) -> list[str]:
    """A partition that stands still, for people: what it stands before, and what comes next."""
    stands = "stands at" if blocked.committed else "never committed, and begins at"
    lines = [
        f"{blocked.topic}[{blocked.partition}]: group {blocked.group} {stands} offset "
        f"{blocked.progress:,}, {blocked.lag:,} behind"
    ]
    if not blocked.members:
        lines.append("  the group has no members now, so it cannot move: is its service stopped?")
    if blocked.offset is None:
        return [*lines, f"  {_OBSTACLES[blocked.obstacle]}"]
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
            f"  next: stop the service, then cutline unblock {shlex.quote(blocked.group)} --topic "
            f"{blocked.topic} --park {blocked.partition}:{blocked.offset} --owner … --why …"
        )
    return lines


_OBSTACLES = {
    "retention": "retention has removed what it was to read",
    "beyond-end": "the partition ends before that: was the topic made anew?",
    "open-transaction": "what comes next is in a transaction that nobody has ended",
}
