"""The topics of a project for a rehearsal: the place that chooses their kind."""

from __future__ import annotations

from collections.abc import Sequence

from cutline.project.loaded import LoadedProject
from cutline.project.readiness import LiveGroup
from cutline.project.topics import FileTopicsSection
from cutline.rehearsal.file_topics import RehearsalFiles
from cutline.rehearsal.interface import RehearsalTopics


def rehearsal_topics(
    project: LoadedProject, groups: Sequence[LiveGroup], job: str
) -> RehearsalTopics:
    """The topics that cutline.yaml says, for a job by the name that client quotas know it by;
    `groups` are those of the live traffic, on Kafka."""
    section = project.file.topics
    if isinstance(section, FileTopicsSection):
        return RehearsalFiles(project.path(section.path), section.partitions)
    # Importing the client takes a while, which files need not wait for.
    from cutline.quotas import job_settings
    from cutline.rehearsal.kafka_topics import RehearsalKafka

    return RehearsalKafka(
        job_settings(project, job),
        section.partitions,
        section.replication,
        float(section.patience),
        groups,
        create=section.create == "missing",
    )
