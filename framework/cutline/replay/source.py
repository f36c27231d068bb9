"""The source of a replay: frozen where it stands, and read by Spark's tasks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.project.replay import ReplayArchive, ReplayConnection, ReplaySection
from cutline.project.topics import FileTopicsSection
from cutline.quotas import source_settings
from cutline.replay.archive_files import (
    PREFIX,
    FrozenFiles,
    freeze_archive,
    freeze_topic_files,
    refuse_changed,
)
from cutline.replay.request import NOTHING_SENT, ReplayRequest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.kafka import ClientSettings
    from cutline.kafka.frozen import FrozenTopics
    from cutline.kafka.registry import RegistrySettings


@dataclass(frozen=True)
class ReplayedSource:
    """The source of a replay of the project. `key` is in cutline.yaml, for errors. `destination` is
    where it is replayed to, by whose client id it is read; null for a look."""

    project: LoadedProject
    section: ReplaySection
    key: str
    destination: str | None = None

    def freeze(self, request: ReplayRequest) -> str:
        """Where it stands now, as canonical text, which names what is read.

        ConfigurationError for what is not there, a torn file, and a window that begins before what
        is there; RunFailed where a cluster or a registry does not answer.
        """
        source = self.section.source
        if source.archive is not None:
            return freeze_archive(
                self._place(source.archive), source.archive.format, self.key
            ).text()
        if self.on_kafka:
            from cutline.replay.topic_window import freeze_window

            return freeze_window(
                self.settings, self._topics, self.key, self.registry, self._patience, request.begin
            ).text()
        topics = self.project.file.topics
        assert isinstance(topics, FileTopicsSection)
        return freeze_topic_files(self.project.path(topics.path), self._topics, self.key).text()

    def refuse_moved(self, position: str) -> None:
        """RunFailed, naming topic or file, unless what was frozen can still be read."""
        if position.startswith(PREFIX):
            refuse_changed(FrozenFiles.read(position), self.key)
            return
        from cutline.kafka.freeze import refuse_moved

        refuse_moved(self.settings, self._frozen_topics(position), self.key)

    def write(self, spark: SparkSession, position: str, folder: str) -> tuple[DataFrame, int]:
        """Its records up to a position, in the columns of RAW, written to a folder; how many.

        Raises what `write_records` says.
        """
        from cutline.kafka.parts import parts
        from cutline.kafka.written import RecordFormat, TopicReading, write_records
        from cutline.replay.archive import ArchiveReading
        from cutline.replay.raw import RAW, RAW_DDL, RawEncoder

        archive = self.section.source.archive
        reading: ArchiveReading | TopicReading
        if position.startswith(PREFIX):
            files = FrozenFiles.read(position)
            rows = "records" if archive is None else archive.rows
            reading = ArchiveReading(files, rows, self.key, self._reader(archive))
            newest = self._newest_of_archive()
        else:
            topics = self._frozen_topics(position)
            reading = TopicReading(self.settings, parts(topics), self.key, self._patience)
            newest = dict(topics.schemas)
        subject = None if archive is None else archive.subject
        encoder = RawEncoder(self.registry, newest, self.key, subject)
        records, counts = write_records(spark, reading, RecordFormat(RAW, RAW_DDL, encoder), folder)
        return records, sum(counts.values())

    @property
    def on_kafka(self) -> bool:
        """Whether it is topics of Kafka."""
        source = self.section.source
        if source.archive is not None:
            return False
        return source.kafka is not None or not isinstance(
            self.project.file.topics, FileTopicsSection
        )

    @property
    def is_merged(self) -> bool:
        """Whether its partitions are read as one stream, and not one file after the other."""
        return self.section.source.archive is None

    @property
    def has_keys(self) -> bool:
        """Whether its records have keys of their own, or none on purpose."""
        archive = self.section.source.archive
        return archive is None or archive.rows == "records"

    @property
    def registry(self) -> RegistrySettings | None:
        """The registry of its schemas; null where none is declared."""
        from cutline.kafka.registry import registry_settings

        return registry_settings(self.section.source.registry, self.project.folder)

    @property
    def settings(self) -> ClientSettings:
        """How the cluster of its topics is reached."""
        return source_settings(self.project, self.section, self._connection, self.destination)

    @property
    def _connection(self) -> ReplayConnection:
        topics = self.project.file.topics
        if self.section.source.kafka is not None:
            return self.section.source.kafka
        assert not isinstance(topics, FileTopicsSection)
        # Secrets stay what they are: a dump would hide them.
        return ReplayConnection(
            bootstrap=topics.kafka.bootstrap,
            security=topics.kafka.security,
            client=topics.kafka.client,
        )

    @property
    def _patience(self) -> float:
        return self._connection.stalled_seconds

    @property
    def _topics(self) -> tuple[str, ...]:
        return self.section.source.topics or ()

    def _place(self, archive: ReplayArchive) -> str:
        return self.project.path(archive.path)

    def _frozen_topics(self, position: str) -> FrozenTopics:
        from cutline.kafka.frozen import FrozenTopics

        return FrozenTopics.read(position)

    def _newest_of_archive(self) -> dict[str, int]:
        archive, registry = self.section.source.archive, self.registry
        if registry is None or archive is None or archive.subject is None:
            return {}
        from cutline.kafka.registry import Registry

        newest = Registry(registry, self.key).newest([archive.subject])
        if not newest:
            raise ConfigurationError(
                f"{self.key}: the schema registry at {registry.url} has no subject "
                f"{archive.subject}",
                left_behind=NOTHING_SENT,
                next_step="Mend `archive.subject` in cutline.yaml.",
            )
        return newest

    def _reader(self, archive: ReplayArchive | None) -> str | None:
        """The text of the Avro schema by which rows are read; null where none is declared."""
        if archive is None or archive.reader is None:
            return None
        import fastavro

        from cutline.lake.file_system import file_system

        place = self.project.path(archive.reader)
        try:
            system, path = file_system(place)
            with system.open_input_stream(path) as file:
                text = bytes(file.readall()).decode()
            fastavro.parse_schema(json.loads(text))
        except Exception as error:
            raise ConfigurationError(
                f"{self.key}.archive.reader: {place} is no Avro schema that can be read: "
                f"{error or type(error).__name__}",
                left_behind=NOTHING_SENT,
                next_step="Mend the file, or its path in cutline.yaml.",
            ) from error
        return text
