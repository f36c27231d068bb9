"""Topics: where events, exceptions and breaks are sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from cutline.project.base import Section
from cutline.project.kafka import KafkaConnection, RegistrySection
from cutline.project.names import Slug, TopicName
from cutline.project.quotas import ClientQuotas, refuse_two_names


class Findings(Section):
    """What the topics of exceptions and breaks show of personal values."""

    personal: Literal["masked", "clear"] = "masked"
    """Whether personal values are masked, in the rows and events of exceptions and in the values of
    breaks. `clear` needs a `reason`."""
    reason: str | None = Field(default=None, min_length=1)
    """Why they are sent in clear, for those who are asked."""

    @model_validator(mode="after")
    def _with_a_reason(self) -> Self:
        if self.personal == "clear" and not (self.reason or "").strip():
            raise ValueError("personal: clear needs a reason: say why they are sent in clear")
        if self.personal == "masked" and self.reason is not None:
            raise ValueError("a reason is for personal: clear")
        return self


class FileTopicsSection(Section):
    """Topics as folders with one JSON-lines file a partition: for a laptop, a dry run, a test."""

    kind: Literal["files"] = "files"
    """The kind of topics."""
    path: str = "topics"
    """The folder."""
    prefix: Slug
    """The first part of every topic's name."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Partitions of a new topic."""
    findings: Findings = Findings()
    """What becomes of personal values in exceptions and breaks."""

    @model_validator(mode="before")
    @classmethod
    def _has_no_brokers(cls, section: Any) -> Any:
        if isinstance(section, dict) and "quotas" in section:
            raise ValueError("quotas are kept by brokers: they are for topics of kind kafka")
        return section


class LagGuard(Section):
    """A consumer group of the live traffic: while it is behind, what is published is slowed."""

    group: str = Field(min_length=1)
    """The consumer group. It is only asked how far it is."""
    topic: TopicName
    """The topic that it reads."""
    messages: int = Field(ge=0)
    """How many messages it may be behind."""


class LatencyGuard(Section):
    """A live topic: while the brokers that lead it confirm late, what is published is slowed."""

    topic: TopicName
    """The live topic."""
    milliseconds: float = Field(gt=0)
    """What 99 of 100 requests to these brokers may take, as the publication itself measures."""


class ThrottleSection(Section):
    """Limits of what a run sends, and of what live traffic may suffer from it."""

    bytes_per_second: int | None = Field(default=None, ge=1)
    """The bytes of keys, headers and values that a run sends in a second; left out, any number."""
    messages_per_second: int | None = Field(default=None, ge=1)
    """The messages that a run sends in a second; left out, any number."""
    lag: tuple[LagGuard, ...] = ()
    """Consumer groups of the live traffic that must not fall behind."""
    latency: tuple[LatencyGuard, ...] = ()
    """Live topics whose brokers must not become slow."""


class KafkaPublication(Section):
    """How records are published to a cluster of Apache Kafka."""

    kafka: KafkaConnection
    """The cluster, and how to reach it."""
    prefix: Slug
    """The first part of every topic's name."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Partitions of a topic: of a new one, and of one that is there."""
    replication: int | None = Field(default=None, ge=1)
    """Copies of each partition of a new topic; left out, as the brokers have it."""
    create: Literal["missing", "never"] = "missing"
    """Whether topics that are missing are made."""
    binding: Literal["binary", "structured"] = "binary"
    """The mode of CloudEvents' Kafka binding. In `structured` the value is the whole event."""
    patience: int = Field(default=120, ge=5)
    """For how many seconds a run tries again while Kafka takes nothing."""
    throttle: ThrottleSection = ThrottleSection()
    """How fast a run may publish."""
    quotas: ClientQuotas | None = None
    """How fast brokers let replays, backfills, resends and publications send and read, by client
    quotas that are there as long as these work; left out, none are set."""

    @model_validator(mode="after")
    def _quotas_are_of_one_client(self) -> Self:
        if self.quotas is not None:
            refuse_two_names(self.kafka, self.quotas.user)
        return self


class KafkaTopicsSection(KafkaPublication):
    """Topics on Apache Kafka."""

    kind: Literal["kafka"]
    """The kind of topics."""
    registry: RegistrySection | None = None
    """Where the schemas of payloads are registered; left out, they are files in the lake."""
    findings: Findings = Findings()
    """What becomes of personal values in exceptions and breaks."""

    @classmethod
    def of(cls, publication: KafkaPublication) -> KafkaTopicsSection:
        """Topics that are published so."""
        declared = {name: getattr(publication, name) for name in KafkaPublication.model_fields}
        return cls(kind="kafka", **declared)


def _kind(value: object) -> str:
    """The kind of topics that a document or a section says; `files` where it says none.

    In brackets, so that it is no key of the section.
    """
    kind = value.get("kind", "files") if isinstance(value, dict) else getattr(value, "kind", "")
    return f"[{kind}]"


TopicsSection = Annotated[
    Annotated[FileTopicsSection, Tag("[files]")] | Annotated[KafkaTopicsSection, Tag("[kafka]")],
    Discriminator(_kind),
]
"""Topics of either kind; without one, files."""
