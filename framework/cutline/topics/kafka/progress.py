"""How far a slice has come with one partition, as it stands in the progress topic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from confluent_kafka import Consumer

from cutline.identity import canonical_json
from cutline.topics.kafka.reading import committed, high_watermark, low_watermark
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.murmur2 import partition

_REMEMBERED = 8
"""Runs whose single records are remembered: more than are ever under way beside each other."""


@dataclass(frozen=True)
class Progress:
    """What was committed together with the records that it counts.

    `epoch` is that of the slice's lease and `attempt` the Spark task attempt that wrote it: what is
    lower than both of the newest must write no more. `base` is the partition's end before the run's
    first record, `done` the number of the run's records up to which all are dealt with. `records`
    has the ids of single records by run.
    """

    epoch: int
    attempt: int
    run: str
    base: int
    done: int
    records: Mapping[str, list[str]] = field(default_factory=dict)

    def stored(self) -> bytes:
        """The value of its record."""
        return canonical_json(asdict(self)).encode()

    @classmethod
    def read(cls, value: bytes) -> Progress:
        """The progress that a record's value holds."""
        document: dict[str, Any] = json.loads(value)
        return cls(**document)

    def with_records(self, run: str, ids: list[str]) -> dict[str, list[str]]:
        """The ids of single records by run, with those of a run behind all others."""
        others = {name: kept_ids for name, kept_ids in self.records.items() if name != run}
        newest = list(others.items())[-(_REMEMBERED - 1) :]
        return {**dict(newest), run: [*self.records.get(run, []), *ids]}


def progress_partition(publisher: Publisher, slot: Slot) -> int:
    """The partition of the progress topic that has the progress of a slot."""
    return partition(publisher.progress_key(slot), publisher.progress_partitions)


def last_progress(publisher: Publisher, slot: Slot, consumer: Consumer) -> Progress | None:
    """The newest committed progress of a slot; null for a partition that never was published to.

    Read up to the end of the partition as it is now, transactions under way included: those of
    other slices hide what stands behind them until they end, and are waited for. So ask after the
    slot's own producer has begun, which ends whatever an older one left open.
    """
    topic, number = publisher.progress_topic, progress_partition(publisher, slot)
    start = low_watermark(publisher, topic, number)
    end = high_watermark(publisher, topic, number)
    key, newest = publisher.progress_key(slot).encode(), None
    for message in committed(consumer, topic, number, start, end, publisher.patience):
        if message.key() == key and (value := message.value()) is not None:
            newest = value
    return None if newest is None else Progress.read(newest)
