"""The partitions on which a group does not move, and the record that each stands before."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.errors import RunFailed
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic
from cutline.topics.kafka.reading import Unfinished, committed, reader

if TYPE_CHECKING:
    from confluent_kafka import Message

_SCANNED = 10_000
"""Records behind a blocking one that are looked at for its key."""
_PATIENCE = 30.0


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

    `progress` is the offset that the group reads next, `lag` the offsets from there to the end of
    what is committed. `first` is the first offset that the partition has: where it is above
    `progress`, retention has removed what was to be read, and there is no `record`.
    """

    partition: int
    progress: int
    first: int
    lag: int
    record: BlockingRecord | None


def blocked_partitions(group: GroupOnTopic, wait: float) -> list[BlockedPartition]:
    """The partitions on which the group did not move for `wait` seconds though there is something
    to read, in their order. Raises what `GroupOnTopic` says."""
    before = group.progress()
    bounds = group.bounds(before)
    behind = {n: at for n, at in before.items() if at < bounds[n][1]}
    if not behind:
        return []
    time.sleep(wait)
    now = group.progress()
    still = sorted(n for n, at in behind.items() if now.get(n) == at)
    blocked = [blocked_partition(group, n, behind[n], *bounds[n]) for n in still]
    return [partition for partition in blocked if partition is not None]


def blocked_partition(
    group: GroupOnTopic, number: int, progress: int, first: int, end: int
) -> BlockedPartition | None:
    """A partition that does not move; null where only markers of transactions are behind."""
    if progress < first:
        return BlockedPartition(number, progress, first, end - progress, None)
    consumer = reader(group.settings)
    record, siblings, scanned = None, 0, 0
    try:
        with group.explained():
            for message in committed(consumer, group.topic, number, progress, end, _PATIENCE):
                if record is None:
                    record = message
                    continue
                scanned += 1
                siblings += message.key() is not None and message.key() == record.key()
                if scanned == _SCANNED:
                    break
    except Unfinished as error:
        raise RunFailed(
            str(error),
            left_behind=NOTHING_MOVED,
            next_step="See that the brokers run, then run the same command again.",
        ) from error
    finally:
        consumer.close()
    if record is None:
        return None
    return BlockedPartition(number, progress, first, end - progress, _blocking(record, siblings))


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
