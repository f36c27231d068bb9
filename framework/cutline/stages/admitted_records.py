"""The records of live topics that a person had applied to the read model, though they were late."""

from __future__ import annotations

from pathlib import Path

from cutline.kafka.frozen import FrozenTopics
from cutline.project.topics import FileTopicsSection
from cutline.readmodels import read_model_of
from cutline.stages.epoch_guard import OffsetOfRecord
from cutline.topics.live import live_places
from cutline.topics.partition_file import PartitionFile
from cutline.workspace import Workspace


def admitted_records(workspace: Workspace) -> list[OffsetOfRecord]:
    """Those of the topics that the run reads: of a topic made anew on Kafka nothing was said."""
    read_model = read_model_of(workspace.project, workspace.context, workspace.region)
    admitted = [] if read_model is None else read_model.admitted_records()
    if not admitted:
        return []
    places = live_places(workspace.project, workspace.context.name)
    section = workspace.project.file.topics
    if places or not isinstance(section, FileTopicsSection):
        ids = {
            name: topic.id
            for place in places
            for name, topic in FrozenTopics.read(workspace.positions[place.name]).topics.items()
        }
        return [
            (record.topic, record.partition, record.position)
            for record in admitted
            if ids.get(record.topic) == record.topic_id
        ]
    root = Path(workspace.project.path(section.path).removeprefix("file://"))
    offsets: list[OffsetOfRecord] = []
    for record in admitted:
        file = PartitionFile(root / record.topic, record.partition)
        if (offset := file.offset_at(record.position)) is not None:
            offsets.append((record.topic, record.partition, offset))
    return offsets
