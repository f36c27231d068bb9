"""Replays: retained topics and archives that are sent again, evolved, to topics of their own."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from cutline.project.base import Section
from cutline.project.kafka import KafkaConnection, RegistrySection
from cutline.project.live import LiveRecords, PlaceInRecord
from cutline.project.names import Slug, TopicName
from cutline.project.quotas import ConsumerQuota, refuse_two_names
from cutline.project.readiness import RehearsalLimits
from cutline.project.topics import KafkaPublication
from cutline.project.waivers import NotBlank


class ReplayConnection(KafkaConnection):
    """A Kafka cluster whose topics are replayed."""

    stalled_seconds: float = Field(default=60, gt=0, le=3600)
    """How long the cluster may send nothing before the read stops with an error."""
    quotas: ConsumerQuota | None = None
    """How fast its brokers let the replay read; left out, no quota is set there."""

    @model_validator(mode="after")
    def _quotas_are_of_one_client(self) -> Self:
        if self.quotas is not None:
            refuse_two_names(self, self.quotas.user)
        return self


class ReplayArchive(Section):
    """Files that hold what a topic held."""

    path: str
    """A file, a folder (all files in and below it), or a glob; of this machine, or a URL such as
    `s3://lake/orders/*.parquet`. Files are read in the order of their names."""
    format: Literal["json", "avro", "parquet"]
    """`json` is one object a line, packed or not (`.gz`, `.zst`); `avro` are container files."""
    rows: Literal["records", "events", "documents"] = "records"
    """What a row is: a record of a topic (`key`, `headers`, `value`, `timestamp`); an event whose
    attributes are columns, and its payload `data`; or a payload itself, of which `records` says
    where its attributes stand."""
    reader: str | None = Field(default=None, min_length=1)
    """The file with the Avro schema by which rows of Avro files are read; left out, each file is
    read by its own."""
    subject: str | None = Field(default=None, min_length=1)
    """Of values that carry the id of a schema, the registry's subject whose newest they become."""

    @model_validator(mode="after")
    def _reader_is_of_avro(self) -> Self:
        if self.reader is not None and self.format != "avro":
            raise ValueError("reader is an Avro schema, and for format avro")
        return self


class ReplaySource(Section):
    """What is replayed: topics, or an archive."""

    topics: tuple[TopicName, ...] | None = Field(default=None, min_length=1)
    """The topics, each up to where it is committed when the replay is planned."""
    kafka: ReplayConnection | None = None
    """The cluster of the topics; left out, they are where `topics` of the project are."""
    archive: ReplayArchive | None = None
    """The archive."""
    registry: RegistrySection | None = None
    """Where the schemas are of keys and values that are Avro; left out, all are taken for text."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.topics is None) == (self.archive is None):
            raise ValueError("needs one of topics and archive")
        if self.kafka is not None and self.topics is None:
            raise ValueError("kafka says where topics are: it belongs to topics")
        if self.archive is not None and (self.registry is None) != (self.archive.subject is None):
            raise ValueError("registry and archive.subject belong together")
        if len(set(self.topics or ())) < len(self.topics or ()):
            raise ValueError("topics names one topic twice")
        return self


class ReplayRecords(LiveRecords):
    """What the records look like, as of live topics, and where the version of a payload stands."""

    version: PlaceInRecord | None = None
    """The version of the payload's schema, a whole number; left out, the number at the end of
    `dataschema`."""

    @model_validator(mode="after")
    def _of_a_source(self) -> Self:
        if self.topic is not None:
            raise ValueError("topic: the source names its topics")
        return self


class Upcaster(Section):
    """How a payload of one version becomes one of the next: by a function, or by what is said here,
    in the order rename, default, remove."""

    plugin: Slug | None = None
    """The entry point of the group `cutline.upcasters`: a function from the payload, a dict, to the
    payload of the next version."""
    rename: dict[str, str] = Field(default_factory=dict)
    """By a field its name in the next version. A field that is missing stays so."""
    default: dict[str, str | bool | int | None] = Field(default_factory=dict)
    """By a field its value, where the payload has none."""
    remove: tuple[str, ...] = ()
    """Fields that the next version has not."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        declared = bool(self.rename or self.default or self.remove)
        if (self.plugin is not None) == declared:
            raise ValueError("needs plugin, or some of rename, default and remove")
        return self


class ReplayDestination(Section):
    """A topic that replays may be sent to, and who answers for it."""

    owner: NotBlank
    """Who answers for it."""
    live: bool = False
    """Whether it is live: then nothing is replayed into it."""
    groups: tuple[str, ...] = ()
    """Consumer groups that are there to read replays. Any other is a reason to refuse."""


class ReplayTarget(ReplayDestination):
    """A topic that a replay may be sent to, of the project or of another cluster."""

    topics: KafkaPublication | None = None
    """The cluster of the topic, and how it is published to there, as `topics` of the project says
    it; the topic of what could not be replayed is there as well. Left out, both are topics of the
    project."""


class ReplaySection(Section):
    """A named source of replays, and where they may go. Nothing of it is a part of what names a
    run."""

    source: ReplaySource
    """What is replayed."""
    records: ReplayRecords = ReplayRecords()
    """What its records look like; left out, they are CloudEvents."""
    upcasters: dict[str, dict[int, Upcaster]] = Field(default_factory=dict)
    """By event type and version, how a payload becomes one of the next version."""
    translator: Slug | None = None
    """The entry point of the group `cutline.event_translators`: what the events, evolved, mean in a
    context. Then its events are sent, and not the records; left out, the records are."""
    rehearsal: RehearsalLimits = RehearsalLimits()
    """What a rehearsal of it may publish."""
    destinations: dict[TopicName, ReplayTarget] = Field(min_length=1)
    """The topics that it may be sent to."""

    @model_validator(mode="after")
    def _versions_are_whole(self) -> Self:
        for kind, steps in self.upcasters.items():
            if not steps or sorted(steps) != list(range(min(steps), max(steps) + 1)):
                raise ValueError(
                    f"upcasters.{kind}: versions are whole numbers without a gap, and are "
                    f"{', '.join(map(str, sorted(steps))) or 'none'}"
                )
        return self

    @model_validator(mode="after")
    def _documents_are_declared(self) -> Self:
        archive = self.source.archive
        if archive is not None and archive.rows == "documents" and self.records.format != "json":
            raise ValueError(
                "records: rows that are documents say nothing of themselves: give format json, and "
                "where id, type, subject and time stand"
            )
        return self
