"""The catalog of a project's topics: the place that chooses its kind."""

from __future__ import annotations

from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection
from cutline.topics.catalog.files import FileCatalog
from cutline.topics.catalog.interface import TopicCatalog


def topic_catalog(project: LoadedProject) -> TopicCatalog:
    """The topics where cutline.yaml says that they are."""
    section = project.file.topics
    if isinstance(section, FileTopicsSection):
        return FileCatalog(project.path(section.path))
    # Importing the client takes a while, which files need not wait for.
    from cutline.kafka import client_settings
    from cutline.topics.catalog.kafka import KafkaCatalog

    return KafkaCatalog(client_settings(section.kafka, project.folder))
