"""What a live input can do: tell its position, and whether it can still be read up to one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from cutline.kafka.base_inputs import BaseInput
from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource
from cutline.sources.frozen.snapshots import LiveSnapshot
from cutline.sources.used_tables import used_sources
from cutline.translator.translation import Translation


class LiveInput(Protocol):
    """An input that moves, by the name under which it stands among a run's positions."""

    @property
    def name(self) -> str:
        """Its name: a source, `<source>.changes` or `live:<aggregate>`."""
        ...

    def freeze(self, base: BaseInput | None = None) -> AbstractContextManager[tuple[str, object]]:
        """Its position now, as canonical text, and what stays open while it is read; null for
        nothing. A run that goes on from a base reads what came since. ConfigurationError if it
        cannot be reached."""
        ...

    def resume(
        self, position: str, base: BaseInput | None = None
    ) -> AbstractContextManager[object] | None:
        """What stays open while it is read up to a position of before; null if it no longer can be
        read so."""
        ...


def live_inputs(
    project: LoadedProject, translation: Translation, region: str
) -> tuple[LiveInput, ...]:
    """The inputs of a slice that move, in a fixed order."""
    # Importing the client takes a while, which runs on files need not wait for.
    from cutline.sources.kafka import KafkaChanges
    from cutline.topics.live import KafkaLive, live_places

    used = used_sources(project, translation, region)
    snapshots = [
        LiveSnapshot(source) for source in used if isinstance(source.section, DatabaseSource)
    ]
    changes = [
        KafkaChanges(project, source.name, source.section)
        for source in used
        if source.section.changes is not None and source.section.changes.topic_names
    ]
    events = [KafkaLive(place) for place in live_places(project, translation.context.name)]
    return (*snapshots, *changes, *events)
