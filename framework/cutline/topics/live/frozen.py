"""A live topic among the inputs that move."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from cutline.errors import RunFailed
from cutline.kafka.base_inputs import BaseInput
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
    def freeze(self, base: BaseInput | None = None) -> Iterator[tuple[str, object]]:
        """The position now, from where that of a base begins."""
        place = self.place
        topics = freeze_topics(
            place.settings,
            [[place.topic]],
            place.reading.begin,
            place.key,
            registry=place.registry,
            base=base,
        )
        yield topics.text(), None

    def resume(
        self, position: str, base: BaseInput | None = None
    ) -> contextlib.AbstractContextManager[object] | None:
        """Nothing, or null if the topic no longer holds what is to be read up to that position."""
        place = self.place
        topics = FrozenTopics.read(position)
        try:
            refuse_moved(
                place.settings, topics if base is None else base.left_of(topics), place.key
            )
        except RunFailed:
            return None
        return contextlib.nullcontext()
