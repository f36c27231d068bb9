"""A handover begun, followed, given up, and ended, with all that was made for it removed."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from cutline.control import GROUP_LEASES, Control
from cutline.logs import logger
from cutline.project.handover import HandoverSection, HandoverWay
from cutline.reconsume.handover.database import HandoverDatabase
from cutline.reconsume.handover.planning import HandoverPlan, handover_plan
from cutline.reconsume.handover.progress import PartitionHandover, handover_progress
from cutline.reconsume.handover.records import (
    HandoverRecord,
    Status,
    delete_handover,
    insert_handover,
    partition_records,
    record_of,
    remove_handover,
    set_status,
)
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic, GroupRefused

_LOG = logger(__name__)


@dataclass(frozen=True)
class HandoverWork:
    """The group of a service on a topic, what is declared for it, its database, and the command
    that begins the next step. `refuse_other_way` raises where the group is moved back."""

    group: GroupOnTopic
    section: HandoverSection
    database: HandoverDatabase
    control: Control
    command: Callable[[str], str]
    refuse_other_way: Callable[[], None]

    def catch_up(self, record: HandoverRecord) -> GroupOnTopic:
        """The group that reads the past."""
        return replace(self.group, name=record.catch_up_group)

    @property
    def place(self) -> tuple[str, str]:
        """Group and topic."""
        return self.group.name, self.group.topic


def plan(
    work: HandoverWork, way: HandoverWay, since: dt.datetime | None, now: dt.datetime
) -> HandoverPlan:
    """What a catch-up would read; nothing is begun."""
    database = work.database
    with database.read() as connection:
        return handover_plan(work.group, work.section, connection, way, since, now)


def start(
    work: HandoverWork,
    way: HandoverWay,
    since: dt.datetime | None,
    now: dt.datetime,
    owner: str,
    why: str,
) -> HandoverRecord:
    """Make the rows of a handover, and the group that reads the past. One that a kill left `begun`,
    of which nobody has used anything, is begun anew.

    GroupRefused where one is under way and, beside a service, where that is not idle, as its place
    would move on meanwhile; raises else what `plan` says.
    """
    database = work.database
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        work.refuse_other_way()
        with database.read() as connection:
            record = record_of(connection, *work.place)
        if record is not None and record.status != "begun":
            is_over = record.status in ("cancelled", "finished")
            raise GroupRefused(
                f"group {work.group.name} has a handover on {work.group.topic} since "
                f"{record.begun_at:%Y-%m-%d %H:%M:%S}, which is {record.status}",
                left_behind=NOTHING_MOVED,
                next_step=f"{work.command('finish')} --remove-tables"
                if is_over
                else f"{work.command('status')} (or: {work.command('cancel')})",
            )
        beside = way == "beside"
        if beside:
            work.group.refuse_members()
        with database.read() as connection:
            planned = handover_plan(work.group, work.section, connection, way, since, now)
        if beside:
            # Idle before and behind: nobody has moved it in between.
            work.group.refuse_members()
        name = f"{work.group.name}-catch-up-{uuid.uuid4().hex[:8]}"
        if record is not None:
            name = record.catch_up_group
        record = HandoverRecord(way, "begun", name, work.group.topic_id(), now, owner, why)
        with database.write() as connection:
            if record_of(connection, *work.place) is not None:
                delete_handover(connection, *work.place)
            insert_handover(connection, record, work.place, planned)
        work.catch_up(record).move_to({p.partition: p.first for p in planned.partitions})
        with database.write() as connection:
            set_status(connection, *work.place, "started")
        _LOG.info("handover started", extra=_fields(work, record))
    return replace(record, status="started")


def under_way(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """The handover with its partitions. GroupRefused where there is none, and where the topic is
    gone or was made anew since it was started."""
    record, partitions = _standing(work)
    if record.status in ("begun", "started"):
        is_there = work.group.topic_is_there()
        if not is_there or work.group.topic_id() != record.topic_id:
            fate = "was made anew" if is_there else "is gone"
            raise GroupRefused(
                f"topic {work.group.topic} {fate} since the handover of group {work.group.name} "
                "was started: its offsets are of another topic",
                left_behind=NOTHING_MOVED,
                next_step=work.command("cancel"),
            )
    return record, partitions


def cancel(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """Give the handover up: the catch-up ends by itself, and the service calls the added handler no
    more. What was written stays."""
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        record, _ = _standing(work)
        if record.status == "finished":
            raise GroupRefused(
                f"the handover of group {work.group.name} on {work.group.topic} is finished",
                left_behind=NOTHING_MOVED,
                next_step=f"{work.command('finish')} --remove-tables",
            )
        with work.database.write() as connection:
            set_status(connection, *work.place, "cancelled")
        _LOG.info("handover cancelled", extra=_fields(work, record))
        return _standing(work)


def finish(
    work: HandoverWork, *, remove_tables: bool
) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """Remove the group that has read the past. The rows stay for the wrapper, which calls both from
    now on, or none of a cancelled one; with `remove_tables`, when the service runs without it, and
    beside a service, which has none, they go as well, and the tables with the last of them.

    GroupRefused until each partition is handed over and no process without the wrapper is at work,
    unless the handover is cancelled; and while the catch-up runs.
    """
    with work.control.lease(GROUP_LEASES, work.group.lease_name):
        record, partitions = _standing(work)
        if record.status in ("begun", "started"):
            under_way(work)
            _refuse_open(work, partitions)
        if record.status != "finished":
            reading = work.catch_up(record)
            reading.refuse_members("Stop the catch-up, then run the same command again.")
            reading.delete()
        status: Status = "cancelled" if record.status == "cancelled" else "finished"
        with work.database.write() as connection:
            if remove_tables or record.way == "beside":
                remove_handover(connection, *work.place)
            else:
                set_status(connection, *work.place, status)
        _LOG.info("handover finished", extra=_fields(work, record))
    return replace(record, status=status), partitions


def _standing(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    database = work.database
    with database.read() as connection:
        record = record_of(connection, *work.place)
        partitions = [] if record is None else partition_records(connection, *work.place)
    if record is None:
        raise GroupRefused(
            f"group {work.group.name} has no handover on {work.group.topic}: it was not started, "
            "or it is finished",
            left_behind=NOTHING_MOVED,
            next_step=work.command("start"),
        )
    return record, handover_progress(record, partitions, work.group.committed())


def _refuse_open(work: HandoverWork, partitions: list[PartitionHandover]) -> None:
    number = len(work.group.bounds())
    ended = sum(partition.state == "handed-over" for partition in partitions)
    if ended < number:
        raise GroupRefused(
            f"{number - ended} of {number} partitions of {work.group.topic} are not handed over",
            left_behind=NOTHING_MOVED,
            next_step=f"{work.command('status')} (or: {work.command('cancel')})",
        )


def _fields(work: HandoverWork, record: HandoverRecord) -> dict[str, object]:
    return {
        "group": work.group.name,
        "topic": work.group.topic,
        "owner": record.owner,
        "way": record.way,
    }
