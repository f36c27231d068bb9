"""What a run read of its inputs, for the run that goes on from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cutline.kafka.frozen import FrozenTopics


@dataclass(frozen=True)
class BaseInput:
    """An input of a run: its position, and of topics how far they were read; null of others."""

    position: str
    read: str | None = None

    def frozen_topics(self) -> FrozenTopics:
        """The topics up to the position."""
        return FrozenTopics.read(self.position)

    def ends(self) -> dict[tuple[str, int], int]:
        """The offset behind what was read of each partition, by topic; empty where that was not
        kept."""
        return {} if self.read is None else FrozenTopics.read(self.read).ends()

    def left_of(self, topics: FrozenTopics) -> FrozenTopics:
        """What the run has not read of topics; all of them where they are no longer those."""
        read = None if self.read is None else FrozenTopics.read(self.read)
        return topics.since(read) if read is not None and topics.continues(read) else topics


@dataclass(frozen=True)
class BaseInputs:
    """The inputs of a run: their positions, and how far topics were read, both by name."""

    positions: Mapping[str, str]
    topics: Mapping[str, str]

    def get(self, name: str) -> BaseInput | None:
        """An input by name; null if the run had none of it."""
        position = self.positions.get(name)
        return None if position is None else BaseInput(position, self.topics.get(name))
