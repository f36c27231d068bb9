"""What both kinds of topics do for a rehearsal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cutline.consumer.received import Received
from cutline.rehearsal.brokers import BrokerFigures
from cutline.rehearsal.record import RehearsedRecord


@dataclass(frozen=True)
class LiveLook:
    """How the live traffic stands at a moment.

    `ends` has by topic and partition the offset behind the last record; of consumer groups, by
    `group@topic`, `committed` has what they committed by partition, and `lag` the messages that
    they are behind.
    """

    ends: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    committed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    lag: Mapping[str, int] = field(default_factory=dict)


class RehearsalTopics(Protocol):
    """The topics of a project, for a rehearsal. Each method raises ConfigurationError for what is
    not allowed, and RunFailed where the topics cannot be reached."""

    def make(self, history: Sequence[str], states: Sequence[str]) -> None:
        """Make topics that must not exist yet; those of states are compacted."""
        ...

    def send(self, records: Sequence[RehearsedRecord]) -> list[float]:
        """Send records in their order; of each, the milliseconds until it was safe."""
        ...

    def brokers(self) -> BrokerFigures | None:
        """How the brokers fared while records were sent; null for topics without brokers."""
        ...

    def read(self, topics: Sequence[str]) -> Iterator[Received]:
        """All that stands on these topics, partition by partition in the order of offsets."""
        ...

    def standing(self, namespace: str) -> list[str]:
        """The topics there are whose names begin with a namespace."""
        ...

    def remove(self, namespace: str) -> int:
        """Remove the topics of a namespace, which are gone then; how many they were."""
        ...

    def look(self, topics: Sequence[str]) -> LiveLook:
        """How topics and the live groups stand now; a topic that is not there has no ends."""
        ...

    def close(self) -> None:
        """Give back what it holds open."""
        ...
