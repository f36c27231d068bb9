"""The partitions on which a group does not move, and the record that each stands before."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cutline.topics.kafka.group import GroupOnTopic, PartitionBounds

if TYPE_CHECKING:
    from confluent_kafka import Message

Obstacle = Literal["record", "retention", "beyond-end", "open-transaction"]
"""What a group stands before: a record; records that retention has removed; the end of a partition
that is shorter than what it has read, as a topic that was made anew; a transaction that nobody
ends."""
_SCANNED = 10_000
"""Records behind a blocking one that are looked at for its key."""


@dataclass(frozen=True)
class BlockingRecord:
    """The record that a group stands before on a partition.

    `offset` is its place, `key` its key as text, null for none; `id`, `type` and `subject` those of
    the CloudEvent, in the binary mode, that it is, null for what is none. `siblings` are the later
    records of its key, of the first 10,000 behind it. `bytes` is the size of key and value.
    """

    offset: int
    key: str | None
    time: dt.datetime
    id: str | None
    type: str | None
    subject: str | None
    bytes: int
    siblings: int
    message: Message


@dataclass(frozen=True)
class BlockedPartition:
    """A partition on which the group is behind and does not move.

    `progress` is the offset that the group reads next: the first one that is there where it never
    committed on the partition, which `is_committed` says. `bounds` are those of the partition.
    """

    partition: int
    progress: int
    is_committed: bool
    bounds: PartitionBounds
    obstacle: Obstacle
    record: BlockingRecord | None

    @property
    def lag(self) -> int:
        """Offsets from there to the end of what is committed; 0 beyond it."""
        return max(0, self.bounds.stable - self.progress)


def blocked_partitions(group: GroupOnTopic, wait: float) -> list[BlockedPartition]:
    """The partitions on which the group did not move for `wait` seconds though there is something
    to read, in their order. Raises what `GroupOnTopic` says."""
    before, bounds = group.progress(), group.bounds()
    behind = [n for n, bound in bounds.items() if _standing(before, n, bound) != bound.end]
    if not behind:
        return []
    time.sleep(wait)
    now = group.progress()
    blocked = [
        blocked_partition(group, n, before.get(n), bounds[n])
        for n in sorted(behind)
        if now.get(n) == before.get(n)
    ]
    return [partition for partition in blocked if partition is not None]


def _standing(progress: dict[int, int], number: int, bounds: PartitionBounds) -> int:
    return progress.get(number, bounds.first)


def blocked_partition(
    group: GroupOnTopic, number: int, progress: int | None, bounds: PartitionBounds
) -> BlockedPartition | None:
    """A partition on which the group does not move; null where only markers of transactions are
    behind."""
    standing = bounds.first if progress is None else progress
    obstacle: Obstacle = "record"
    record = None
    if standing > bounds.end:
        obstacle = "beyond-end"
    elif standing < bounds.first:
        obstacle = "retention"
    else:
        record = _next_record(group, number, standing, bounds.stable)
        if record is None and bounds.stable == bounds.end:
            return None
        obstacle = "open-transaction" if record is None else "record"
    return BlockedPartition(number, standing, progress is not None, bounds, obstacle, record)


def _next_record(
    group: GroupOnTopic, number: int, progress: int, stable: int
) -> BlockingRecord | None:
    """The first record from an offset on; null where there are but markers up to what is stable."""
    record, siblings = None, 0
    for scanned, message in enumerate(group.records(number, progress, stable)):
        if record is None:
            record = message
            continue
        siblings += message.key() is not None and message.key() == record.key()
        if scanned == _SCANNED:
            break
    return None if record is None else _blocking(record, siblings)


def _blocking(message: Message, siblings: int) -> BlockingRecord:
    pairs: Any = message.headers() or ()
    headers = {
        name: text.decode(errors="replace") for name, text in pairs if isinstance(text, bytes)
    }
    key, value, (_, millis) = message.key(), message.value(), message.timestamp()
    offset = message.offset()
    assert offset is not None
    name = key.decode(errors="replace") if isinstance(key, bytes) else key
    return BlockingRecord(
        offset=offset,
        key=name,
        time=dt.datetime.fromtimestamp(millis / 1000, dt.UTC),
        id=headers.get("ce_id"),
        type=headers.get("ce_type"),
        subject=headers.get("ce_subject"),
        bytes=len(key or b"") + len(value or b""),
        siblings=siblings,
        message=message,
    )
