"""What topics and archives still hold of a context's events: asked, and not read."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cutline.advice.situation import RetainedEvents
from cutline.errors import ConfigurationError
from cutline.kafka import ClientSettings
from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection
from cutline.replay.archive_files import archive_size, topic_files
from cutline.replay.complete import figures_of_whole
from cutline.replay.events import NO_EVENT, REPLAYED
from cutline.replay.source import ReplayedSource
from cutline.results import MergeResult
from cutline.topics.live import live_places
from cutline.topics.names import live
from cutline.topics.partition_file import PartitionFile, partition_files
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from pathlib import Path

LIVE_TOPICS = "the live topics"


@dataclass(frozen=True)
class PartitionSpan:
    """What a partition holds: its first offset, its end, and the time of its first record, null
    where it has none or tells none."""

    first: int
    end: int
    begins: dt.datetime | None


@dataclass(frozen=True)
class TopicSpan:
    """What a topic holds. `bytes` are null where nobody tells them; `kept_for` is after how long a
    record is removed, null for never."""

    topic: str
    partitions: Sequence[PartitionSpan]
    bytes: int | None = None
    compacted: bool = False
    kept_for: dt.timedelta | None = None

    @property
    def records(self) -> int:
        """The offsets in it: on Kafka some may be those of markers, or of what was compacted."""
        return sum(part.end - part.first for part in self.partitions)

    @property
    def whole_since(self) -> dt.datetime | None:
        """From when on it has everything: where nothing was removed, since its first record; else
        since the last of those moments at which a partition begins that lost some. Null where that
        is not told."""
        begins = [part.begins for part in self.partitions if part.begins is not None]
        shortened = [part.begins for part in self.partitions if part.first > 0]
        # Of a partition that retention has emptied, nothing tells how long ago it did.
        moments = [moment for moment in shortened if moment is not None]
        if not begins or len(moments) < len(shortened):
            return None
        return max([min(begins), *moments])


def live_events(
    project: LoadedProject, translation: Translation, merged: MergeResult | None
) -> RetainedEvents | None:
    """The live topics of the context; null where none is declared. `merged` is what the newest
    complete run made of them.

    ConfigurationError for a topic that is not on Kafka, RunFailed where Kafka does not answer.
    """
    context = translation.context
    aggregates = project.file.contexts[context.name].live.aggregates
    if not aggregates:
        return None
    missing = [a.name for a in context.aggregates if a.name not in aggregates]
    places = live_places(project, context.name)
    if places:
        topics = [place.topic for place in places]
        spans = kafka_spans(places[0].settings, topics, places[0].key)
    else:
        section = project.file.topics
        assert isinstance(section, FileTopicsSection)
        root = _root(project, section)
        names = {a: live(section.prefix, context.name, a) for a in aggregates}
        parts = {a: partition_files(root / name) for a, name in names.items()}
        missing += [a for a in aggregates if not parts[a]]
        spans = [file_span(names[a], files) for a, files in parts.items() if files]
    return _together(LIVE_TOPICS, spans, unread=_unread_live(merged), missing=missing)


def replay_events(project: LoadedProject, name: str) -> RetainedEvents:
    """The source of a replay of cutline.yaml.

    ConfigurationError for a topic or a file that is not there, RunFailed where Kafka does not
    answer.
    """
    section, key = project.file.replays[name], f"replays.{name}.source"
    figures = figures_of_whole(project, name)
    unread = None
    if figures is not None and figures.read:
        # Of what a translator announces nothing it was read, and known.
        readable = (REPLAYED, NO_EVENT)
        understood = sum(count.records for count in figures.counts if count.outcome in readable)
        unread = 1 - understood / figures.read
    title = f"the source of replay {name}"
    archive = section.source.archive
    if archive is not None:
        size = archive_size(project.path(archive.path), key)
        records = None if figures is None else figures.read
        return RetainedEvents(title, records, bytes=size, unread=unread, replay=name)
    source, topics = ReplayedSource(project, section, key), section.source.topics or ()
    if source.on_kafka:
        spans = kafka_spans(source.settings, topics, key)
        return replace(_together(title, spans, unread=unread), replay=name)
    files = project.file.topics
    assert isinstance(files, FileTopicsSection)
    root = str(_root(project, files))
    spans = [file_span(topic, topic_files(root, topic, key)) for topic in topics]
    return replace(_together(title, spans, unread=unread), replay=name)


def kafka_spans(settings: ClientSettings, topics: Sequence[str], key: str) -> list[TopicSpan]:
    """What topics of Kafka hold, by their offsets, the time of their first records and their
    settings; no record is read.

    ConfigurationError for a topic that is not there, and RunFailed where the cluster does not
    answer. `key` is in cutline.yaml.
    """
    from cutline.kafka.cluster import KafkaCluster

    cluster = KafkaCluster(settings, key, starting=True)
    cluster.id()
    described = cluster.describe(topics)
    places = [(topic, part.id) for topic in topics for part in described[topic].partitions]
    first, ends = cluster.first_offsets(places), cluster.stable_ends(places)
    begins = cluster.first_moments(places)
    configured: Mapping[str, Mapping[str, str]] = {}
    try:
        configured = cluster.topic_settings(topics)
    except ConfigurationError:
        # Who may read a topic may perhaps not ask for its settings; offsets tell what is gone.
        configured = {}
    return [
        TopicSpan(
            topic,
            [
                PartitionSpan(first[place], max(first[place], ends[place]), begins[place])
                for place in places
                if place[0] == topic
            ],
            compacted="compact" in configured.get(topic, {}).get("cleanup.policy", ""),
            kept_for=_kept_for(configured.get(topic, {})),
        )
        for topic in topics
    ]


def file_span(topic: str, files: Sequence[PartitionFile]) -> TopicSpan:
    """What a topic of files holds; each file is read once."""
    parts = [PartitionSpan(_first(file), file.end(), _begins(file)) for file in files]
    return TopicSpan(topic, parts, bytes=sum(file.path.stat().st_size for file in files))


def _together(
    name: str,
    spans: Sequence[TopicSpan],
    *,
    unread: float | None,
    missing: Sequence[str] = (),
) -> RetainedEvents:
    # A topic that never had a record lacks none.
    used = [span for span in spans if any(part.end for part in span.partitions)]
    moments = {s.topic: s.whole_since for s in used if s.whole_since is not None}
    latest = max(moments, key=lambda topic: moments[topic], default="")
    sizes = [span.bytes for span in spans]
    limits = [span.kept_for for span in spans if span.kept_for is not None]
    return RetainedEvents(
        name,
        sum(span.records for span in spans),
        bytes=None if None in sizes else sum(size for size in sizes if size),
        whole_since=moments[latest] if latest and len(moments) == len(used) else None,
        last_to_begin=latest if len(spans) > 1 else "",
        compacted=any(span.compacted for span in spans),
        kept_for=min(limits, default=None),
        unread=unread,
        missing=tuple(missing),
    )


def _unread_live(merged: MergeResult | None) -> float | None:
    if merged is None:
        return None
    read = merged.candidates.native + merged.native_unreadable
    return merged.native_unreadable / read if read else None


def _kept_for(configured: Mapping[str, str]) -> dt.timedelta | None:
    """After how long a topic removes a record; null where it never does, and where that is not
    told."""
    millis = configured.get("retention.ms", "-1")
    if "delete" not in configured.get("cleanup.policy", "") or int(millis) < 0:
        return None
    return dt.timedelta(milliseconds=min(int(millis), _LONGEST))


_LONGEST = 10_000 * 365 * 86_400_000
"""Milliseconds: who writes more means for ever, and a time has no room for it."""


def _root(project: LoadedProject, section: FileTopicsSection) -> Path:
    from pathlib import Path

    return Path(project.path(section.path).removeprefix("file://"))


def _first(file: PartitionFile) -> int:
    offset = _first_record(file).get("offset")
    return offset if isinstance(offset, int) else 0


def _begins(file: PartitionFile) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(str(_first_record(file)["timestamp"]))
    except (KeyError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def _first_record(file: PartitionFile) -> dict[str, Any]:
    """The first line of a partition; empty where it has none that can be read."""
    line = next(file.lines(), b"{}")
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
