"""Up to where the events of some windows are read, and from where on."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.project.repair import RepairSection
from cutline.repair.request import UNCHANGED
from cutline.replay.archive_files import PREFIX, FrozenFiles
from cutline.replay.request import ReplayRequest
from cutline.replay.source import ReplayedSource

if TYPE_CHECKING:
    from cutline.kafka.cluster import KafkaCluster


@dataclass(frozen=True)
class WindowReading:
    """How the events of windows are read from the source of a replay.

    A topic holds records in the order in which they came, not in that of their events. What is of
    `begin` or later was written then or later, and what came before a window closed was written
    before that: both but for the `disorder` of its records' times.
    """

    source: ReplayedSource
    section: RepairSection
    replay: str

    def freeze(self, begin: dt.datetime | None, end: dt.datetime) -> str:
        """The position of what is read for the windows from `begin`, or from the first record on
        where that is null, to before `end`.

        ConfigurationError where retention has removed what may be of `begin` or later. Archives and
        topics of files are read whole.
        """
        disorder = self.section.disorder
        since = None if begin is None else begin - disorder
        position = self.source.freeze(ReplayRequest(self.replay, "", begin=since))
        if position.startswith(PREFIX):
            return position
        from cutline.kafka.cluster import KafkaCluster

        frozen = FrozenTopics.read(position)
        cluster = KafkaCluster(self.source.settings, self.source.key, starting=True)
        self._refuse_compacted(cluster, frozen)
        return self._narrowed(cluster, frozen, since, end).text()

    def is_from_beginning(self, position: str) -> bool:
        """Whether nothing was removed before what a position names."""
        if position.startswith(PREFIX):
            return True
        topics = FrozenTopics.read(position).topics.values()
        return all(part.start == 0 for topic in topics for part in topic.partitions.values())

    def records(self, position: str) -> int:
        """How many records a position names at most."""
        if position.startswith(PREFIX):
            return sum(file.rows for file in FrozenFiles.read(position).files)
        topics = FrozenTopics.read(position).topics.values()
        return sum(p.end - p.start for topic in topics for p in topic.partitions.values())

    def is_whole(self, position: str) -> bool:
        """Whether a position names all that a source held when it was frozen."""
        return position.startswith(PREFIX)

    def identity(self, position: str) -> list[str]:
        """What stays the same of a source however far it is read: its topics and their ids."""
        if position.startswith(PREFIX):
            return [self.replay]
        frozen = FrozenTopics.read(position)
        return [frozen.cluster, *(f"{name} {t.id}" for name, t in sorted(frozen.topics.items()))]

    def _refuse_compacted(self, cluster: KafkaCluster, frozen: FrozenTopics) -> None:
        """ConfigurationError for a topic of which compaction removes records in between."""
        for name, settings in cluster.topic_settings(frozen.topics).items():
            if "compact" in settings.get("cleanup.policy", ""):
                raise ConfigurationError(
                    f"{self.source.key}: topic {name} is compacted: which events of a window were "
                    "removed is not known",
                    left_behind=UNCHANGED,
                    next_step="Repair from a topic that keeps all events, or from an archive.",
                )

    def _narrowed(
        self,
        cluster: KafkaCluster,
        frozen: FrozenTopics,
        since: dt.datetime | None,
        end: dt.datetime,
    ) -> FrozenTopics:
        """The same topics from the first record that may be of the windows to the last one."""
        places = [(name, number) for name, t in frozen.topics.items() for number in t.partitions]
        last = end + self.section.lateness + self.section.disorder
        starts = {} if since is None else cluster.offsets_at(places, since)
        ends = cluster.offsets_at(places, last)
        topics = {}
        for name, topic in frozen.topics.items():
            ranges = {}
            for number, (first, stable) in topic.partitions.items():
                start, stop = starts.get((name, number), first), ends[name, number]
                # -1: there is no record of that moment or later.
                stop = stable if stop < 0 else min(stop, stable)
                start = stop if start < 0 else min(start, stop)
                ranges[number] = Offsets(start, stop)
            topics[name] = FrozenTopic(topic.id, ranges)
        return FrozenTopics(frozen.cluster, topics, frozen.schemas)
