"""What is shown of a group that reads again."""

from __future__ import annotations

import shlex
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
        names = (*offsets, "handled", "without_row", "state")
        rows = [[getattr(p, name) for name in names] for p in handover.partitions]
        out.table(names, [["-" if value is None else value for value in row] for row in rows])
        for warning in handover.warnings:
            out.line(f"warning: {warning}")
        for line in _next(handover):
            out.line(line)
    return 0


def _next(handover: ServiceHandover) -> list[str]:
    """What comes next; nothing for a plan, and where all is over."""
    finish = f"cutline reconsume finish {shlex.quote(handover.group)} --topic {handover.topic}"
    match handover.status:
        case "begun":
            return ["next: run the same start again"]
        case "started" if handover.open and handover.way == "handover":
            service = "run the service with its wrapper"
            return [f"next: {service}, and the catch-up in group {handover.catch_up_group}"]
        case "started" if handover.open:
            service = "run the service with both handlers"
            return [f"next: {service}, and the catch-up in group {handover.catch_up_group}"]
        case "started":
            return [f"next: {finish}"]
        case "finished" | "cancelled" if handover.way == "handover":
            return [f"next: take the wrapper off the service, then {finish} --remove-tables"]
        case "cancelled":
            return [f"next: {finish}"]
    return []
