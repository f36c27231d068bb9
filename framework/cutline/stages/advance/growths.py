"""What is new in each input of a slice since the run that an advance goes on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cutline.kafka.frozen import FrozenTopics
from cutline.project.loaded import LoadedProject
from cutline.project.source import DatabaseSource
from cutline.results import ExtractResult, FileRead
from cutline.sources.content_digests import LIVE, digests_of, paths_of_inputs
from cutline.sources.frozen import changes_input, snapshot_input
from cutline.sources.growth import CHANGES, Growth, changed_error, growth_of
from cutline.sources.needs_whole import NeedsWholeRun
from cutline.sources.used_tables import used_sources
from cutline.translator.translation import Translation


@dataclass(frozen=True)
class Growths:
    """By source, and by the aggregate of each live topic in files, what is new.

    `topics` have what is new on topics of Kafka, by the name of the input.
    """

    sources: Mapping[str, Growth]
    live: Mapping[str, Growth]
    topics: Mapping[str, FrozenTopics]

    def is_there(self, source: str) -> bool:
        """Whether a source has anything new."""
        tail = self.topics.get(changes_input(source))
        return self.sources[source].is_there or (tail is not None and not tail.is_empty)


def growths_since(
    extract: ExtractResult,
    now: Mapping[str, Sequence[FileRead]],
    positions: Mapping[str, str],
    project: LoadedProject,
    translation: Translation,
    region: str,
) -> Growths:
    """What is new in the inputs since an extract, as far as `now` has their files, and up to the
    `positions` of those that move; free of Spark.

    ConfigurationError where a file was rewritten, a topic was made anew or has other partitions, or
    a source without changes has another file. NeedsWholeRun where that cannot be told.
    """
    paths = paths_of_inputs(project, translation, region)

    def growth(name: str, label: str, grows: str) -> Growth:
        if name not in extract.files:
            raise NeedsWholeRun(f"the run before did not keep how far it read {label}")
        return growth_of(label, paths[name], extract.files[name], now[name], grows)

    sources, topics = {}, {}
    for source in used_sources(project, translation, region):
        name, label = source.name, f"sources.{source.name}"
        section, before = source.section, extract.extracts[name].position
        if isinstance(section, DatabaseSource) and (
            section.changes is None or positions[snapshot_input(name)] not in before.split(" ")
        ):
            raise NeedsWholeRun(f"{label} is read where it is, under a snapshot of each run")
        if section.changes is None:
            if digests_of({name: now[name]})[name] != before:
                raise changed_error(label, "what it holds", "is not what it was, without changes")
            sources[name] = Growth((), ())
            continue
        sources[name] = growth(name, label, CHANGES) if now.get(name) else Growth((), ())
        if section.changes.topic_names:
            topics[changes_input(name)] = _topic_tail(
                label, extract.topics.get(changes_input(name)), positions[changes_input(name)]
            )
    live = [name for name in paths if name.startswith(LIVE)]
    for name in positions.keys() - now.keys():
        if name.startswith(LIVE):
            read = extract.topics.get(name)
            topics[name] = _topic_tail(f"the topic {name}", read, positions[name])
    return Growths(
        sources,
        {name.removeprefix(LIVE): growth(name, f"the topic {name}", "") for name in live},
        topics,
    )


def _topic_tail(label: str, read: str | None, position: str) -> FrozenTopics:
    """What of topics is behind what was read of them, up to a position."""
    if read is None:
        raise NeedsWholeRun(f"the run before did not keep how far it read {label}")
    before, now = FrozenTopics.read(read), FrozenTopics.read(position)
    if not now.continues(before):
        raise changed_error(
            label, "its topics", "were made anew or have other partitions than they had"
        )
    if dict(now.schemas) != dict(before.schemas):
        raise NeedsWholeRun(f"schemas of {label} were registered, by which all of it is read")
    return now.since(before)
