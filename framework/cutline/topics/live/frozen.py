"""A live topic among the inputs that move."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from cutline.errors import RunFailed
from cutline.kafka.freeze import freeze_topics, refuse_moved
from cutline.kafka.frozen import FrozenTopics
from cutline.topics.live.place import LivePlace


@dataclass(frozen=True)
class KafkaLive:
    """The live topic of an aggregate: its position is that of each partition. Nothing stays open:
    what is before a last stable offset does not change."""

    place: LivePlace

    @property
    def name(self) -> str:
        """Its name among the positions."""
        return self.place.name

    @contextlib.contextmanager
    def freeze(self) -> Iterator[tuple[str, object]]:
        """The position now."""
        place = self.place
        topics = freeze_topics(
            place.settings,
            [[place.topic]],
            place.reading.begin,
            place.key,
            registry=place.registry,
        )
        yield topics.text(), None

    def resume(self, position: str) -> contextlib.AbstractContextManager[object] | None:
        """Nothing, or null if the topic no longer holds all up to that position."""
        place = self.place
        try:
            refuse_moved(place.settings, FrozenTopics.read(position), place.key)
        except RunFailed:
            return None
        return contextlib.nullcontext()
