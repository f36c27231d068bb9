"""Topics up to a frozen position: which partitions of them, from which offset to before which."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

PREFIX = "kafka:"


class Offsets(NamedTuple):
    """The offsets of a partition from `start` to before `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class FrozenTopic:
    """A topic by its id, which a topic made anew under its name does not have, and its ranges."""

    id: str
    partitions: Mapping[int, Offsets]


@dataclass(frozen=True)
class FrozenTopics:
    """Topics of one cluster, by name, in the order in which they are read.

    `schemas` has by subject of a schema registry the id of the schema that was the newest; empty
    where none is asked.
    """

    cluster: str
    topics: Mapping[str, FrozenTopic]
    schemas: Mapping[str, int] = field(default_factory=dict)

    def text(self) -> str:
        """Canonical text, by which a run is named: equal positions have equal texts."""
        topics = {
            name: {"id": topic.id, "partitions": {str(p): r for p, r in topic.partitions.items()}}
            for name, topic in self.topics.items()
        }
        document: dict[str, Any] = {"cluster": self.cluster, "topics": topics}
        if self.schemas:
            document["schemas"] = dict(self.schemas)
        return PREFIX + json.dumps(document, sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> FrozenTopics:
        """What `text` gave, its topics in the order of their names."""
        document = json.loads(text.removeprefix(PREFIX))
        return cls(
            document["cluster"],
            {
                name: FrozenTopic(
                    topic["id"],
                    {int(p): Offsets(*ends) for p, ends in topic["partitions"].items()},
                )
                for name, topic in document["topics"].items()
            },
            document.get("schemas", {}),
        )

    def continues(self, before: FrozenTopics) -> bool:
        """Whether these are the topics of `before` with the same partitions, wherever they end."""
        return self.cluster == before.cluster and _identity(self) == _identity(before)

    def since(self, before: FrozenTopics) -> FrozenTopics:
        """What is behind the ends of `before`, which has the same partitions."""
        ranges = before.ranges()
        return self._between(
            {place: Offsets(ranges[place].end, end) for place, (_, end) in self.ranges().items()}
        )

    def until(self, ends: Mapping[tuple[str, int], int]) -> FrozenTopics:
        """The same up to before these offsets, by topic and partition, where there are some."""
        return self._between(
            {
                place: Offsets(start, ends.get(place, end))
                for place, (start, end) in self.ranges().items()
            }
        )

    def ranges(self) -> dict[tuple[str, int], Offsets]:
        """The offsets of each partition, by topic and partition."""
        return {(n, p): r for n, topic in self.topics.items() for p, r in topic.partitions.items()}

    def ends(self) -> dict[tuple[str, int], int]:
        """The offset behind each partition, by topic and partition."""
        return {place: end for place, (_, end) in self.ranges().items()}

    def _between(self, ranges: Mapping[tuple[str, int], Offsets]) -> FrozenTopics:
        """The same partitions with these offsets."""
        return replace(
            self,
            topics={
                name: replace(topic, partitions={p: ranges[name, p] for p in topic.partitions})
                for name, topic in self.topics.items()
            },
        )

    @property
    def is_empty(self) -> bool:
        """Whether no partition has an offset."""
        return all(start >= end for start, end in self.ranges().values())

    def only(self, names: Collection[str]) -> FrozenTopics:
        """The topics of these names, in their order."""
        return replace(self, topics={name: self.topics[name] for name in names})


def _identity(topics: FrozenTopics) -> dict[str, tuple[str, frozenset[int]]]:
    return {name: (topic.id, frozenset(topic.partitions)) for name, topic in topics.topics.items()}
