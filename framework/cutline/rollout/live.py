"""How far the live topics of a context are: by that it is told what the new side has written."""

from __future__ import annotations

from pathlib import Path

from cutline.control.plan import LiveEnds
from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection
from cutline.topics.names import live
from cutline.topics.partition_file import partition_files


def live_ends(project: LoadedProject, context: str) -> LiveEnds:
    """Where the live topics of a context end now; none where it declares no live events.

    Of topics in files it is the offset behind the last line, or how many lines there are: whoever
    writes them need not number them.
    """
    section, topics = project.file.contexts[context].live, project.file.topics
    if isinstance(topics, FileTopicsSection) and section.kafka is None:
        root = Path(project.path(topics.path))
        names = [live(topics.prefix, context, aggregate) for aggregate in section.aggregates]
        return {
            name: {str(part.number): part.extent() for part in partition_files(root / name)}
            for name in names
        }
    from cutline.kafka.freeze import freeze_topics
    from cutline.topics.live.place import live_places

    ends: dict[str, dict[str, int]] = {}
    for place in live_places(project, context):
        frozen = freeze_topics(place.settings, [[place.topic]], "beginning", place.key)
        partitions = frozen.topics[place.topic].partitions
        ends[place.topic] = {str(number): offsets.end for number, offsets in partitions.items()}
    return ends


def written_between(earlier: LiveEnds, later: LiveEnds) -> int:
    """The records that came to live topics between two moments."""
    return sum(
        end - earlier.get(topic, {}).get(partition, 0)
        for topic, partitions in later.items()
        for partition, end in partitions.items()
    )
