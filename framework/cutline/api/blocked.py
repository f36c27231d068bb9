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

    `progress` is the offset that it reads next, `lag` how many offsets are behind it. The record
    that it stands before: its `offset`, `key` as text, `time`, `bytes`; `event_id`, `type` and
    `subject` where it is a CloudEvent in the binary mode; `siblings`, the later records of its key
    among the next 10,000. All are None where retention has removed what was to be read, up to
    `first`. `parked` is the topic on which the record was put, None where it was only looked at.
    """

    group: str
    topic: str
    partition: int
    progress: int
    first: int
    lag: int
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


def park_record(
    project: LoadedProject,
    group: GroupOnTopic,
    partition: int,
    *,
    owner: str,
    why: str,
    pass_siblings: bool,
    wait: float,
) -> BlockedConsumer:
    """Set aside the record that blocks a partition; ConfigurationError where none does."""
    from cutline.topics.kafka.group import NOTHING_MOVED
    from cutline.unblock.blocked import blocked_partitions
    from cutline.unblock.parking import ParkingOrder, park, parked_topic

    every = {blocked.partition: blocked for blocked in blocked_partitions(group, wait)}
    blocked = every.get(partition)
    if blocked is None:
        others = ", ".join(map(str, every)) or "none"
        raise ConfigurationError(
            f"nothing blocks partition {partition} of {group.topic} for group {group.name}",
            left_behind=NOTHING_MOVED,
            next_step=f"Blocked partitions: {others}.",
        )
    topics = _topics(project)
    order = ParkingOrder(
        owner, why, pass_siblings, topics.partitions, topics.replication, topics.create == "missing"
    )
    park(group, blocked, order)
    return blocked_consumer(group, blocked, parked_topic(group.topic))


def blocked_consumer(
    group: GroupOnTopic, blocked: BlockedPartition, parked: str | None = None
) -> BlockedConsumer:
    """A blocked partition for people."""
    record = blocked.record
    return BlockedConsumer(
        group=group.name,
        topic=group.topic,
        partition=blocked.partition,
        progress=blocked.progress,
        first=blocked.first,
        lag=blocked.lag,
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
