"""What is shown of a group that reads again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import Reconsume, ServiceHandover


def show_reconsume(reconsume: Reconsume, *, json: bool) -> int:
    """A group that is moved back, partition by partition. Exit code 0."""
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


def show_handover(handover: ServiceHandover, *, json: bool) -> int:
    """A handover, partition by partition, and what comes next. Exit code 0."""
    with result() as out:
        if json:
            out.document(handover.as_json())
            return 0
        out.line(
            f"group {handover.group} on {handover.topic}, {handover.way}: {handover.status}, "
            f"{handover.left:,} offsets left, {handover.open} of {len(handover.partitions)} "
            "partitions open"
        )
        offsets = ("partition", "first", "catch_up", "live", "handed_over_at", "left")
        names = (*offsets, "handled", "without_row", "missed", "state")
        rows = [[getattr(p, name) for name in names] for p in handover.partitions]
        out.table(names, [["-" if value is None else value for value in row] for row in rows])
        for warning in handover.warnings:
            out.line(f"warning: {warning}")
        for line in _next(handover):
            out.line(line)
    return 0


def _next(handover: ServiceHandover) -> list[str]:
    lines = []
    if missed := sum(partition.missed for partition in handover.partitions):
        lines.append(
            f"{missed:,} offsets behind the handover were passed by a process without the wrapper: "
            "the added handler had none of them"
        )
    if handover.status == "started" and handover.open:
        lines.append(
            f"next: run the service with its wrapper, and the catch-up in group "
            f"{handover.catch_up_group}"
            if handover.way == "handover"
            else f"next: run the service with both handlers, and the catch-up in group "
            f"{handover.catch_up_group}"
        )
    elif handover.status == "started":
        lines.append("next: run the service with both handlers and without a wrapper, then finish")
    elif handover.status == "cancelled":
        lines.append("next: run the service without a wrapper, then finish")
    return lines
