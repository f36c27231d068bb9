"""Where the live events of a context are, if they are on Kafka."""

from __future__ import annotations

from dataclasses import dataclass

from cutline.kafka import ClientSettings, client_settings
from cutline.kafka.registry import RegistrySettings, registry_settings
from cutline.project.kafka import KafkaReading
from cutline.project.live import LiveRecords
from cutline.project.loaded import LoadedProject
from cutline.project.topics import KafkaTopicsSection
from cutline.topics.names import live

LIVE = "live:"
"""How the names of live topics begin among a run's positions."""


@dataclass(frozen=True)
class LivePlace:
    """The live topic of an aggregate: how it is reached, from where it is read, and what its
    records look like. `key` is in cutline.yaml."""

    aggregate: str
    topic: str
    settings: ClientSettings
    reading: KafkaReading
    records: LiveRecords
    key: str
    registry: RegistrySettings | None = None

    @property
    def name(self) -> str:
        """Its name among a run's positions."""
        return f"{LIVE}{self.aggregate}"


def live_places(project: LoadedProject, context: str) -> list[LivePlace]:
    """The live topics of a context on Kafka, one per aggregate; none where they are files."""
    topics, section = project.file.topics, project.file.contexts[context].live
    key = f"contexts.{context}.live.kafka"
    reading = section.kafka
    if reading is None and isinstance(topics, KafkaTopicsSection):
        reading, key = KafkaReading.model_validate(topics.kafka.model_dump()), "topics.kafka"
    if reading is None or not section.aggregates:
        return []
    settings = client_settings(reading, project.folder)
    registry = registry_settings(reading.registry, project.folder)
    places = []
    for aggregate in section.aggregates:
        records = (section.records or {}).get(aggregate, LiveRecords())
        topic = records.topic or live(topics.prefix, context, aggregate)
        places.append(LivePlace(aggregate, topic, settings, reading, records, key, registry))
    return places
