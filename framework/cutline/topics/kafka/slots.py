"""The partitions that a publication writes, each with its number, its producer and its key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cutline.identity import canonical_json
from cutline.kafka import ClientSettings


@dataclass(frozen=True)
class Slot:
    """One partition of one topic; `number` counts through the partitions of all topics."""

    number: int
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}]"


@dataclass(frozen=True)
class Publisher:
    """Who publishes: a run of a slice, under an epoch of the slice's lease.

    It travels to Spark's tasks; secrets are looked up there. Times are in seconds: `commit_seconds`
    is how long Kafka may take over a transaction's end, `patience` how long a task tries again
    while nothing succeeds.
    """

    context: str
    region: str
    run_id: str
    epoch: int
    progress_topic: str
    progress_partitions: int
    settings: ClientSettings
    commit_seconds: float = 30.0
    patience: float = 120.0

    @property
    def bootstrap(self) -> str:
        """Where Kafka is, for people."""
        return self.settings.bootstrap

    def transactional_id(self, slot: Slot) -> str:
        """The same for whoever publishes this partition for this slice: the newest fences all."""
        return f"{slot.topic}/{slot.partition}/{self.region}"

    def progress_key(self, slot: Slot) -> str:
        """The key of the slice's progress with a partition, in the progress topic."""
        return canonical_json([self.region, slot.topic, slot.partition])


def slots_of(topics: Sequence[str], partitions: int) -> list[Slot]:
    """The partitions of topics, in the order of their numbers."""
    return [
        Slot(index * partitions + partition, topic, partition)
        for index, topic in enumerate(topics)
        for partition in range(partitions)
    ]
