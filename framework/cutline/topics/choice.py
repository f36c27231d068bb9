"""The topics of a project, of the kind that cutline.yaml says: the one place that chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.project.topics import FileTopicsSection, KafkaTopicsSection
from cutline.topics.files import FileTopics

if TYPE_CHECKING:
    from cutline.topics.interface import Topics
    from cutline.topics.kafka.settings import KafkaSettings
    from cutline.topics.kafka.topics import KafkaTopics
    from cutline.workspace import Workspace


def topics_of(workspace: Workspace, progress_topic: str | None = None) -> Topics:
    """The topics to which a run sends and from which it reads live events.

    How far it has sent is written to `progress_topic`, on Kafka; left out, to the context's.
    """
    section = workspace.project.file.topics
    if isinstance(section, FileTopicsSection):
        path = workspace.project.path(section.path)
        return FileTopics(path, section.partitions, workspace.lake.check_lease)
    return kafka_topics(workspace, section, progress_topic)


def kafka_topics(
    workspace: Workspace, section: KafkaTopicsSection, progress_topic: str | None = None
) -> KafkaTopics:
    """The topics on Kafka that a section describes, for the run of a workspace."""
    # Importing the client takes a while, which runs on files need not wait for.
    from cutline.quotas import job_settings, slice_job
    from cutline.topics.kafka.slots import Publisher
    from cutline.topics.kafka.topics import KafkaTopics
    from cutline.topics.names import progress

    context = workspace.context.name
    publisher = Publisher(
        context=context,
        region=workspace.region,
        run_id=workspace.run_id,
        epoch=workspace.epoch,
        progress_topic=progress_topic or progress(section.prefix, context),
        progress_partitions=section.partitions,
        settings=job_settings(
            workspace.project, slice_job(workspace.project, context, workspace.region)
        ),
        patience=float(section.patience),
    )
    return KafkaTopics(
        publisher,
        kafka_settings(section),
        workspace.lake,
        workspace.remember_publications,
        None if workspace.base is None else workspace.base.lake,
    )


def kafka_settings(section: KafkaTopicsSection) -> KafkaSettings:
    """How a project publishes to Kafka."""
    from cutline.topics.kafka.live_load import LagLimit, LatencyLimit
    from cutline.topics.kafka.pace import Throttle
    from cutline.topics.kafka.settings import KafkaSettings

    limits = section.throttle
    throttle = Throttle(
        limits.bytes_per_second,
        limits.messages_per_second,
        tuple(LagLimit(g.group, g.topic, g.messages) for g in limits.lag),
        tuple(LatencyLimit(g.topic, g.milliseconds) for g in limits.latency),
        None if section.quotas is None else section.quotas.producer_byte_rate,
    )
    return KafkaSettings(
        section.partitions,
        section.replication,
        section.create == "missing",
        section.binding == "structured",
        throttle,
    )
