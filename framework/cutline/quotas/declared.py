"""Which client quotas cutline.yaml asks for around a job, and of which clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.project.kafka import KafkaConnection
from cutline.project.loaded import LoadedProject
from cutline.project.replay import ReplaySection
from cutline.project.topics import KafkaPublication, KafkaTopicsSection
from cutline.quotas.entity import CONSUMER, PRODUCER, QuotaEntity
from cutline.quotas.installed import refuse_without_extra
from cutline.quotas.library import refuse_unknown

if TYPE_CHECKING:
    from cutline.kafka import ClientSettings

TARGET = "topics.quotas"


@dataclass(frozen=True)
class DeclaredQuota:
    """A quota of the clients of a job. `settings` reach the cluster, `key` is in cutline.yaml, and
    `rates` are bytes a second by Kafka's name of the rate."""

    key: str
    settings: ClientSettings
    entity: QuotaEntity
    rates: Mapping[str, int]


def declared_quotas(
    project: LoadedProject, job: str, replay: ReplaySection | None = None, key: str = ""
) -> list[DeclaredQuota]:
    """The quotas of a job, which is named by the topic that it sends to, or as `slice_job` and
    `rehearsal_job` have it; none where none are declared.

    That of the cluster of the project's topics, or of the one that the destination of `replay`, at
    `key` of cutline.yaml, names; and that of the cluster that the replay reads, where that is
    another one.
    """
    quotas = []
    topics, place = project.file.topics, TARGET
    elsewhere = _elsewhere(replay, job)
    if elsewhere is not None:
        if replay is not None and _reads_of_project(project, replay):
            quotas += _quota_of_project(project, _source_id(job))
        topics, place = KafkaTopicsSection.of(elsewhere), target_quotas(key, job)
    if topics.kind == "kafka" and topics.quotas is not None:
        rates = {
            PRODUCER: topics.quotas.producer_byte_rate,
            CONSUMER: topics.quotas.consumer_byte_rate,
        }
        entity = QuotaEntity(_target_id(job), _user(topics.kafka, topics.quotas.user))
        settings = _settings(project, topics.kafka)
        quotas.append(DeclaredQuota(place, settings, entity, _without_null(rates)))
    source = None if replay is None else replay.source.kafka
    if source is not None and source.quotas is not None:
        entity = QuotaEntity(_source_id(job), _user(source, source.quotas.user))
        read = {CONSUMER: source.quotas.consumer_byte_rate}
        place = f"{key}.source.kafka.quotas"
        quotas.append(DeclaredQuota(place, _settings(project, source), entity, read))
    return quotas


def every_quota(project: LoadedProject) -> list[DeclaredQuota]:
    """All that cutline.yaml declares, of whatever job."""
    quotas = {quota.key: quota for quota in declared_quotas(project, "")}
    for name, replay in project.file.replays.items():
        for topic in replay.destinations:
            for quota in declared_quotas(project, topic, replay, f"replays.{name}"):
                quotas.setdefault(quota.key, quota)
    return list(quotas.values())


def target_quotas(key: str, topic: str) -> str:
    """Where cutline.yaml says the quotas of the cluster of a replay's destination; `key` is that of
    the replay."""
    return f"{key}.destinations.{topic}.topics.quotas"


def refuse_unset(quotas: Sequence[DeclaredQuota]) -> None:
    """ConfigurationError where a quota could not be set from here: the library is not installed, or
    lacks a mechanism or a setting of security. No cluster is asked."""
    for quota in quotas:
        refuse_without_extra(quota.key)
        refuse_unknown(quota.settings, quota.key)


def slice_job(project: LoadedProject, context: str, region: str) -> str:
    """The name of the job that publishes a slice."""
    return f"{project.file.topics.prefix}.{context}.{region}"


def rehearsal_job(project: LoadedProject, context: str, region: str) -> str:
    """The name of the job that rehearses a slice."""
    return f"{slice_job(project, context, region)}.rehearsal"


def job_settings(project: LoadedProject, job: str) -> ClientSettings:
    """How the clients of a job reach the cluster of the project's topics: under a client id of the
    job's own where quotas are declared."""
    topics = project.file.topics
    assert topics.kind == "kafka"
    settings = _settings(project, topics.kafka)
    return settings if topics.quotas is None else settings.named(_target_id(job))


def source_settings(
    project: LoadedProject, replay: ReplaySection, connection: KafkaConnection, job: str | None
) -> ClientSettings:
    """How a replay for a job reads its topics; without a job under no client id of its own."""
    settings, topics, source = _settings(project, connection), project.file.topics, replay.source
    if job is None:
        return settings
    if source.kafka is not None:
        return settings if source.kafka.quotas is None else settings.named(_source_id(job))
    if _elsewhere(replay, job) is not None:
        limited = bool(_quota_of_project(project, _source_id(job)))
        return settings.named(_source_id(job)) if limited else settings
    limited = topics.kind == "kafka" and topics.quotas is not None
    return settings.named(_target_id(job)) if limited else settings


def _elsewhere(replay: ReplaySection | None, topic: str) -> KafkaPublication | None:
    """The cluster that a replay's destination names; null where it is a topic of the project."""
    target = None if replay is None else replay.destinations.get(topic)
    return None if target is None else target.topics


def _reads_of_project(project: LoadedProject, replay: ReplaySection) -> bool:
    """Whether a replay reads topics of the project on Kafka."""
    return (
        project.file.topics.kind == "kafka"
        and replay.source.topics is not None
        and replay.source.kafka is None
    )


def _quota_of_project(project: LoadedProject, client_id: str) -> list[DeclaredQuota]:
    """What a client may read of the cluster of the project's topics, if that is limited."""
    topics = project.file.topics
    if topics.kind != "kafka" or topics.quotas is None:
        return []
    rate = topics.quotas.consumer_byte_rate
    if rate is None:
        return []
    entity = QuotaEntity(client_id, _user(topics.kafka, topics.quotas.user))
    return [DeclaredQuota(TARGET, _settings(project, topics.kafka), entity, {CONSUMER: rate})]


def _target_id(job: str) -> str:
    return f"cutline.{job}"


def _source_id(job: str) -> str:
    """Another one: both clusters may be one, reached in two ways."""
    return f"cutline.{job}.source"


def _user(connection: KafkaConnection, user: str | None) -> str | None:
    return connection.security.username or user


def _settings(project: LoadedProject, connection: KafkaConnection) -> ClientSettings:
    # Importing the client takes a while, which projects on files need not wait for.
    from cutline.kafka import client_settings

    return client_settings(connection, project.folder)


def _without_null(rates: Mapping[str, int | None]) -> dict[str, int]:
    return {name: rate for name, rate in rates.items() if rate is not None}
