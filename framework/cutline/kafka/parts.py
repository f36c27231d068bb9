"""Parts of partitions, each read by one task: a large partition is read by several at once."""

from __future__ import annotations

from typing import NamedTuple

from cutline.kafka.frozen import FrozenTopics

PART_OFFSETS = 500_000
"""About how many offsets one task reads."""


class TopicPart(NamedTuple):
    """The offsets of a partition from `start` to before `end`.

    `slot` is the number of the partition among all that are read, in the order of topics.
    """

    slot: int
    topic: str
    partition: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"topic {self.topic}, partition {self.partition}"


def slots(topics: FrozenTopics) -> list[TopicPart]:
    """All partitions as they are read, in the order of topics and partitions."""
    places = [(name, p, r) for name, t in topics.topics.items() for p, r in t.partitions.items()]
    return [TopicPart(i, name, partition, *r) for i, (name, partition, r) in enumerate(places)]


def parts(topics: FrozenTopics, offsets: int = PART_OFFSETS) -> list[TopicPart]:
    """The parts that have any offset, in order; together they are all offsets, each once."""
    return [
        whole._replace(start=start, end=min(start + offsets, whole.end))
        for whole in slots(topics)
        for start in range(whole.start, whole.end, offsets)
    ]
