"""The change topics of a source, as far as a run reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cutline.kafka import ClientSettings, client_settings
from cutline.kafka.base_inputs import BaseInput
from cutline.kafka.freeze import freeze_topics
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.kafka.parts import TopicPart, slots
from cutline.kafka.registry import RegistrySettings, registry_settings
from cutline.project.changes import Changes, DebeziumChanges
from cutline.project.loaded import LoadedProject
from cutline.project.source import LogSource, Source
from cutline.sources.source_position import changes_input


@dataclass(frozen=True)
class TopicInput:
    """Topics of changes, and then those of the boundaries of their transactions, up to a position.

    `change_topics` of the topics are of changes. `key` is in cutline.yaml. `tables` are the names
    in the database of the tables that the source has. `registry` is asked for schemas, if there is
    one.
    """

    settings: ClientSettings
    topics: FrozenTopics
    change_topics: int
    key: str
    patience: float
    with_headers: bool
    tables: frozenset[str] = frozenset()
    registry: RegistrySettings | None = None

    @property
    def slots(self) -> list[TopicPart]:
        """All partitions, by their numbers."""
        return slots(self.topics)

    def until(self, offsets: Mapping[int, int]) -> TopicInput:
        """The same up to before an offset of each partition, by its number among all, where there
        is one."""
        ends = {(s.topic, s.partition): offsets[s.slot] for s in self.slots if s.slot in offsets}
        return replace(self, topics=self.topics.until(ends))

    @property
    def change_slots(self) -> int:
        """The number of partitions of changes: the others hold boundaries."""
        names = list(self.topics.topics)[: self.change_topics]
        return sum(len(self.topics.topics[name].partitions) for name in names)


def topics_key(source: str) -> str:
    """The key of a source's change topics in cutline.yaml."""
    return f"sources.{source}.changes.kafka"


def boundary_topics(section: Changes) -> tuple[str, ...]:
    """The topics with the boundaries of transactions, where changes are topics."""
    if not isinstance(section, DebeziumChanges) or section.transactions is None:
        return ()
    return (section.transactions,) if section.topic_names else ()


def settings_of(project: LoadedProject, section: Changes) -> ClientSettings:
    """How a client reaches the cluster of the change topics."""
    assert section.kafka is not None
    return client_settings(section.kafka, project.folder)


def frozen_now(
    project: LoadedProject, name: str, section: Source, base: BaseInput | None = None
) -> FrozenTopics:
    """The topics of a source up to where they stand now, from where a base began. Raises what
    `freeze_topics` says."""
    changes = section.changes
    assert changes is not None
    assert changes.kafka is not None
    # A boundary was written after the rows of its transaction: frozen first, it has all of them.
    groups: list[Sequence[str]] = [changes.topic_names]
    if boundaries := boundary_topics(changes):
        groups.insert(0, boundaries)
    whole = isinstance(section, LogSource)
    settings = settings_of(project, changes)
    return freeze_topics(
        settings,
        groups,
        changes.kafka.begin,
        topics_key(name),
        whole=whole,
        registry=registry_settings(changes.kafka.registry, project.folder),
        base=base,
    )


def topic_input(
    project: LoadedProject, name: str, section: Source, positions: Mapping[str, str]
) -> TopicInput | None:
    """The change topics of a source up to a run's position; null if its changes are no topics."""
    if section.changes is None or not section.changes.topic_names:
        return None
    return topic_input_of(project, name, section, FrozenTopics.read(positions[changes_input(name)]))


def topic_input_now(project: LoadedProject, name: str, section: Source) -> TopicInput | None:
    """As `topic_input`, up to where the topics stand now."""
    if section.changes is None or not section.changes.topic_names:
        return None
    return topic_input_of(project, name, section, frozen_now(project, name, section))


def topic_input_of(
    project: LoadedProject, name: str, section: Source, frozen: FrozenTopics
) -> TopicInput:
    """The change topics of a source that has some, as far as they are frozen."""
    changes = section.changes
    assert changes is not None
    assert changes.kafka is not None
    return TopicInput(
        settings_of(project, changes),
        frozen.only([*changes.topic_names, *boundary_topics(changes)]),
        len(changes.topic_names),
        topics_key(name),
        changes.kafka.stalled_seconds,
        # The halves of a changed key name each other there.
        isinstance(changes, DebeziumChanges),
        frozenset(table.name or key for key, table in section.tables.items()),
        registry_settings(changes.kafka.registry, project.folder),
    )


_NEWEST = 1_000
"""How many offsets at the end of a partition are looked at for what is newest there."""


def newest_of_topic(
    project: LoadedProject, changes: Changes, topic: str, key: str
) -> TopicInput | None:
    """The newest records of a topic beside the changes; null where these are files."""
    if changes.kafka is None:
        return None
    settings = settings_of(project, changes)
    frozen = freeze_topics(settings, [[topic]], "beginning", key)
    whole = frozen.topics[topic]
    ends = {
        partition: Offsets(max(start, end - _NEWEST), end)
        for partition, (start, end) in whole.partitions.items()
    }
    newest = FrozenTopics(frozen.cluster, {topic: FrozenTopic(whole.id, ends)})
    return TopicInput(
        settings,
        newest,
        1,
        key,
        changes.kafka.stalled_seconds,
        with_headers=False,
        registry=registry_settings(changes.kafka.registry, project.folder),
    )
