"""Consumer groups that stand still, as people and programs see them."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from cutline.api.moment import moment_text
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.project.topics import KafkaTopicsSection
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from cutline.topics.kafka.group import GroupOnTopic
    from cutline.unblock.blocked import BlockedPartition


@dataclass(frozen=True)
class BlockedConsumer:
    """A partition on which a consumer group is behind and does not move.

    `progress` is the offset that it reads next (the first one that is there, where it has not
    `committed` on the partition), `lag` how many offsets are behind it. It stands before an
    `obstacle`: a `record`; what `retention` has removed, up to `first`; `beyond-end`, where the
    partition is shorter than what it has read; an `open-transaction`, which nobody ends. Of a
    record: its `offset`, `key` as text, `time`, `bytes`; `event_id`, `type` and `subject` where it
    is a CloudEvent in the binary mode; `siblings`, the later records of its key among the next
    10,000; else None. `members` are those that the group has now: without any it cannot move.
    `parked` is the topic on which the record was put, None where it was only looked at.
    """

    group: str
    topic: str
    partition: int
    progress: int
    committed: bool
    first: int
    lag: int
    members: int
    obstacle: str
    offset: int | None
    key: str | None
    time: dt.datetime | None
    bytes: int | None
    event_id: str | None
    type: str | None
    subject: str | None
    siblings: int | None
    parked: str | None = None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline unblock --json`."""
        return asdict(self) | {"time": moment_text(self.time)}


def group_on_topic(project: LoadedProject, group: str, topic: str) -> GroupOnTopic:
    """The group on a topic of the project's cluster; ConfigurationError for topics of files."""
    from cutline.kafka import client_settings
    from cutline.topics.kafka.group import GroupOnTopic

    return GroupOnTopic(client_settings(_topics(project).kafka, project.folder), group, topic)


def blocked_consumers(group: GroupOnTopic, wait: float) -> list[BlockedConsumer]:
    """The partitions on which the group did not move for so many seconds."""
    from cutline.unblock.blocked import blocked_partitions

    blocked = blocked_partitions(group, wait)
    members = group.members() if blocked else 0
    return [_consumer(group, partition, members) for partition in blocked]


def park_record(
    project: LoadedProject,
    group: GroupOnTopic,
    partition: int,
    offset: int,
    *,
    owner: str,
    why: str,
    pass_siblings: bool,
) -> BlockedConsumer:
    """Set aside the record that the group stands before; ConfigurationError where it does not stand
    before that one."""
    from cutline.topics.kafka.group import NOTHING_MOVED
    from cutline.unblock.blocked import blocked_partition
    from cutline.unblock.parking import ParkingOrder, park, parked_topic

    bounds = group.bounds().get(partition)
    progress = group.progress().get(partition)
    blocked = None if bounds is None else blocked_partition(group, partition, progress, bounds)
    record = blocked.record if blocked else None
    if blocked is None or (record is not None and record.offset != offset):
        stands = f"offset {record.offset:,}" if record else "no record"
        raise ConfigurationError(
            f"group {group.name} stands before {stands} of {group.topic}[{partition}], not before "
            f"offset {offset:,}",
            left_behind=NOTHING_MOVED,
            next_step="Look again: cutline unblock. What it stands before may be another record.",
        )
    topics = _topics(project)
    order = ParkingOrder(
        owner, why, pass_siblings, topics.partitions, topics.replication, topics.create == "missing"
    )
    park(group, blocked, order)
    return _consumer(group, blocked, 0, parked_topic(group.topic))


def _consumer(
    group: GroupOnTopic, blocked: BlockedPartition, members: int, parked: str | None = None
) -> BlockedConsumer:
    record = blocked.record
    return BlockedConsumer(
        group=group.name,
        topic=group.topic,
        partition=blocked.partition,
        progress=blocked.progress,
        committed=blocked.is_committed,
        first=blocked.bounds.first,
        lag=blocked.lag,
        members=members,
        obstacle=blocked.obstacle,
        offset=record.offset if record else None,
        key=record.key if record else None,
        time=record.time if record else None,
        bytes=record.bytes if record else None,
        event_id=record.id if record else None,
        type=record.type if record else None,
        subject=record.subject if record else None,
        siblings=record.siblings if record else None,
        parked=parked,
    )


def _topics(project: LoadedProject) -> KafkaTopicsSection:
    topics = project.file.topics
    if not isinstance(topics, KafkaTopicsSection):
        raise ConfigurationError(
            "topics of files have no consumer groups: cutline.yaml has `topics` of kind files",
            left_behind="Nothing was looked at.",
            next_step="A service of `cutline.consumer` says itself which records it has put aside.",
        )
    return topics
