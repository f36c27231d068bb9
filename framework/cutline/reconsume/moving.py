"""A group moved back to read again, followed, and put where it was."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cutline.control import GROUP_LEASES, Control
from cutline.errors import RunFailed
from cutline.logs import logger
from cutline.reconsume.planning import reconsume_plan
from cutline.reconsume.shelf import KeptReconsume, ReconsumeShelf
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic, GroupRefused

_LOG = logger(__name__)

_UNDER_WAY = ("begun", "moved")


@dataclass(frozen=True)
class ReconsumeWork:
    """A group, where it is kept where it stood, and the command that begins the next step.
    `refuse_other_way` raises where its service has a handover."""

    group: GroupOnTopic
    shelf: ReconsumeShelf
    control: Control
    command: Callable[[str], str]
    refuse_other_way: Callable[[], None]


def start(
    work: ReconsumeWork, since: dt.datetime | None, now: dt.datetime, owner: str, why: str
) -> KeptReconsume:
    """Move the idle group back. One that a kill had kept and not moved is gone on with.

    GroupRefused where it is under way, and where the group has members; raises else what
    `reconsume_plan` says.
    """
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        work.refuse_other_way()
        reconsume = work.shelf.newest()
        if reconsume is not None and reconsume.status in _UNDER_WAY:
            progress, before = work.group.progress(), _before(reconsume)
            # Kept, and killed before Kafka was told: it stands where it stood.
            stands = all(progress.get(number) == at for number, at in before.items())
            if reconsume.status == "moved" or not stands:
                refuse_under_way(work.shelf, work.command("status"), work.command("cancel"))
        else:
            plan = reconsume_plan(work.group, since, now)
            reconsume = KeptReconsume("begun", now, owner, why, tuple(plan))
        work.group.refuse_members()
        # Kept first: whoever is killed now finds where the group stood.
        work.shelf.keep(reconsume)
        targets = {part.partition: part.target for part in reconsume.partitions}
        _move(work, targets)
        _LOG.info("reconsume begun", extra=_fields(work, reconsume))
        reconsume = replace(reconsume, status="moved")
        work.shelf.keep(reconsume)
    return reconsume


def refuse_under_way(shelf: ReconsumeShelf, status: str, cancel: str) -> None:
    """GroupRefused, with these commands as what comes next, where a group is moved back."""
    reconsume = shelf.newest()
    if reconsume is not None and reconsume.status in _UNDER_WAY:
        raise GroupRefused(
            f"group {shelf.group} reads {shelf.topic} again since "
            f"{reconsume.begun_at:%Y-%m-%d %H:%M:%S}",
            left_behind=NOTHING_MOVED,
            next_step=f"{status} (or: {cancel})",
        )


def under_way(work: ReconsumeWork) -> KeptReconsume:
    """What is under way; GroupRefused if nothing is."""
    reconsume = work.shelf.newest()
    if reconsume is None or reconsume.status not in _UNDER_WAY:
        ended = "never was" if reconsume is None else f"is {reconsume.status}"
        raise GroupRefused(
            f"group {work.group.name} reads nothing of {work.group.topic} again: it {ended}",
            left_behind=NOTHING_MOVED,
            next_step=work.command("start"),
        )
    return reconsume


def remaining(work: ReconsumeWork, reconsume: KeptReconsume) -> dict[int, int]:
    """By partition how many offsets the group still has to read again."""
    progress = work.group.progress()
    return {n: max(0, at - progress.get(n, 0)) for n, at in _before(reconsume).items()}


def finish(work: ReconsumeWork) -> KeptReconsume:
    """Forget where the group stood; GroupRefused until it has come there again."""
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        reconsume = under_way(work)
        left = sum(remaining(work, reconsume).values())
        if left:
            raise GroupRefused(
                f"group {work.group.name} has {left:,} offsets of {work.group.topic} to read until "
                "it is where it stood",
                left_behind=NOTHING_MOVED,
                next_step=f"{work.command('status')} (or: {work.command('cancel')})",
            )
        return _end(work, replace(reconsume, status="finished"))


def cancel(work: ReconsumeWork) -> KeptReconsume:
    """Put the idle group where it stood, on each partition on which it is not there again. What was
    delivered again until now stays delivered."""
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        reconsume = under_way(work)
        work.group.refuse_members()
        left, before = remaining(work, reconsume), _before(reconsume)
        behind = {number: before[number] for number, offsets in left.items() if offsets}
        if behind:
            _move(work, behind)
        _LOG.info("reconsume cancelled", extra=_fields(work, reconsume))
        return _end(work, replace(reconsume, status="cancelled"))


def _before(reconsume: KeptReconsume) -> dict[int, int]:
    """By partition where the group stood before."""
    return {part.partition: part.progress for part in reconsume.partitions}


def _end(work: ReconsumeWork, reconsume: KeptReconsume) -> KeptReconsume:
    work.shelf.keep(reconsume)
    return reconsume


def _move(work: ReconsumeWork, to: Mapping[int, int]) -> None:
    group = work.group
    group.move_to(to)
    progress = group.progress()
    wrong = {number: at for number, at in to.items() if progress.get(number) != at}
    if wrong:
        number, at = min(wrong.items())
        raise RunFailed(
            f"group {group.name} stands at offset {progress.get(number)} of "
            f"{group.topic}[{number}], and not at {at:,}, to which it was moved",
            left_behind="It was moved on the other partitions.",
            next_step="Stop whoever commits for it, then run the same command again.",
        )


def _fields(work: ReconsumeWork, reconsume: KeptReconsume) -> dict[str, object]:
    return {
        "group": work.group.name,
        "topic": work.group.topic,
        "owner": reconsume.owner,
        "partitions": len(reconsume.partitions),
    }
