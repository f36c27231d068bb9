"""A handover begun, followed, given up, and ended, with all that was made for it removed."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from cutline.control import GROUP_LEASES, Control
from cutline.logs import logger
from cutline.project.handover import HandoverSection
from cutline.reconsume.handover.database import HandoverDatabase
from cutline.reconsume.handover.planning import HandoverPlan, Way, handover_plan
from cutline.reconsume.handover.progress import PartitionHandover, handover_progress
from cutline.reconsume.handover.records import (
    HandoverRecord,
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
    that begins the next step."""

    group: GroupOnTopic
    section: HandoverSection
    database: HandoverDatabase
    control: Control
    command: Callable[[str], str]

    @property
    def lease_name(self) -> str:
        """What the lease of the group on its topic is called."""
        return f"{self.group.name} {self.group.topic}"

    @property
    def place(self) -> tuple[str, str]:
        """Group and topic."""
        return self.group.name, self.group.topic


def plan(work: HandoverWork, way: Way, since: dt.datetime | None, now: dt.datetime) -> HandoverPlan:
    """What a catch-up would read; nothing is begun."""
    database = work.database
    with database.read() as connection:
        return handover_plan(work.group, work.section, connection, way, since, now)


def start(
    work: HandoverWork,
    way: Way,
    since: dt.datetime | None,
    now: dt.datetime,
    owner: str,
    why: str,
) -> HandoverRecord:
    """Make the rows of a handover, and the group that reads the past. One that a kill left `begun`
    is gone on with.

    GroupRefused where one is under way and, beside a service, where that is not idle, as its place
    would move on meanwhile; raises else what `plan` says.
    """
    database = work.database
    with work.control.lease(GROUP_LEASES, work.lease_name):
        with database.read() as connection:
            record = record_of(connection, *work.place)
        if record is None:
            record = _begin(work, way, since, now, owner, why)
        elif record.status != "begun":
            raise GroupRefused(
                f"group {work.group.name} has a handover on {work.group.topic} since "
                f"{record.begun_at:%Y-%m-%d %H:%M:%S}",
                left_behind=NOTHING_MOVED,
                next_step=f"{work.command('status')} (or: {work.command('cancel')})",
            )
        with database.read() as connection:
            partitions = partition_records(connection, *work.place)
        reading = replace(work.group, name=record.catch_up_group)
        reading.move_to({p.partition: p.first for p in partitions})
        with database.write() as connection:
            set_status(connection, *work.place, "started")
        _LOG.info("handover started", extra=_fields(work, record))
    return replace(record, status="started")


def _begin(
    work: HandoverWork,
    way: Way,
    since: dt.datetime | None,
    now: dt.datetime,
    owner: str,
    why: str,
) -> HandoverRecord:
    database, beside = work.database, way == "beside"
    if beside:
        work.group.refuse_members()
    with database.read() as connection:
        planned = handover_plan(work.group, work.section, connection, way, since, now)
    if beside:
        # Idle before and behind: nobody has moved it in between.
        work.group.refuse_members()
    name = f"{work.group.name}-catch-up-{uuid.uuid4().hex[:8]}"
    record = HandoverRecord(way, "begun", name, work.group.topic_id(), now, owner, why)
    with database.write() as connection:
        insert_handover(connection, record, work.place, work.section, planned.partitions)
    return record


def under_way(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """The handover with its partitions. GroupRefused where there is none, and where the topic was
    made anew since it was started."""
    record, partitions = _standing(work)
    if record.status != "cancelled" and work.group.topic_id() != record.topic_id:
        raise GroupRefused(
            f"topic {work.group.topic} was made anew since the handover of group "
            f"{work.group.name} was started: its offsets are of another topic",
            left_behind=NOTHING_MOVED,
            next_step=work.command("cancel"),
        )
    return record, partitions


def cancel(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """Give the handover up: the catch-up ends by itself, and the service calls the added handler no
    more. What was written stays."""
    with work.control.lease(GROUP_LEASES, work.lease_name):
        record, _ = _standing(work)
        with work.database.write() as connection:
            set_status(connection, *work.place, "cancelled")
        _LOG.info("handover cancelled", extra=_fields(work, record))
        return _standing(work)


def finish(work: HandoverWork) -> tuple[HandoverRecord, list[PartitionHandover]]:
    """Remove the group that has read the past, and the rows of the handover.

    GroupRefused until each partition is handed over, or the handover is cancelled; while the
    catch-up runs; and while the service runs with its wrapper, which would not know what to do.
    """
    with work.control.lease(GROUP_LEASES, work.lease_name):
        record, partitions = _standing(work)
        if record.status != "cancelled":
            under_way(work)
            _refuse_open(work, partitions)
        reading = replace(work.group, name=record.catch_up_group)
        reading.refuse_members("Stop the catch-up, then run the same command again.")
        _refuse_wrapped(work, partitions)
        reading.delete()
        with work.database.write() as connection:
            remove_handover(connection, *work.place)
        _LOG.info("handover finished", extra=_fields(work, record))
    return record, partitions


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
    ended = sum(partition.record.ended for partition in partitions)
    if ended < number:
        raise GroupRefused(
            f"{number - ended} of {number} partitions of {work.group.topic} are not handed over",
            left_behind=NOTHING_MOVED,
            next_step=f"{work.command('status')} (or: {work.command('cancel')})",
        )


def _refuse_wrapped(work: HandoverWork, partitions: list[PartitionHandover]) -> None:
    """A service without the wrapper has committed more than the wrapper knows of."""
    committed = work.group.committed()
    wrapped = [p.record for p in partitions if p.record.registered]
    passed = any(committed.get(record.partition, 0) > record.live for record in wrapped)
    if wrapped and not passed and (members := work.group.members()):
        raise GroupRefused(
            f"group {work.group.name} has {members} members, and nothing shows that they run "
            "without the wrapper, which would not know what to do with the next record",
            left_behind=NOTHING_MOVED,
            next_step="Start the service with both handlers and without the wrapper; when it has "
            "handled a record, or while it is stopped, run the same command again.",
        )


def _fields(work: HandoverWork, record: HandoverRecord) -> dict[str, object]:
    return {
        "group": work.group.name,
        "topic": work.group.topic,
        "owner": record.owner,
        "way": record.way,
    }
