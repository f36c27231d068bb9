"""Change topics among the inputs that move."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from cutline.errors import RunFailed
from cutline.kafka.base_inputs import BaseInput
from cutline.kafka.freeze import refuse_moved
from cutline.kafka.frozen import FrozenTopics
from cutline.project.loaded import LoadedProject
from cutline.project.source import Source
from cutline.sources.kafka.topic_input import frozen_now, settings_of, topics_key
from cutline.sources.source_position import changes_input


@dataclass(frozen=True)
class KafkaChanges:
    """The change topics of a source: their position is that of each partition. Nothing stays open:
    what is before a last stable offset does not change."""

    project: LoadedProject
    source: str
    section: Source

    @property
    def name(self) -> str:
        """Its name among the positions."""
        return changes_input(self.source)

    @contextlib.contextmanager
    def freeze(self, base: BaseInput | None = None) -> Iterator[tuple[str, object]]:
        """The position now, from where that of a base begins."""
        yield frozen_now(self.project, self.source, self.section, base).text(), None

    def resume(
        self, position: str, base: BaseInput | None = None
    ) -> contextlib.AbstractContextManager[object] | None:
        """Nothing, or null if the topics no longer hold what is to be read up to that position."""
        assert self.section.changes is not None
        settings = settings_of(self.project, self.section.changes)
        topics = FrozenTopics.read(position)
        try:
            refuse_moved(
                settings,
                topics if base is None else base.left_of(topics),
                topics_key(self.source),
            )
        except RunFailed:
            return None
        return contextlib.nullcontext()
