"""Where a project keeps the schemas of what it publishes: the one place that chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.project.names import SCHEMAS
from cutline.project.topics import FileTopicsSection
from cutline.topics.schemas.files import SchemaFiles

if TYPE_CHECKING:
    from cutline.project.loaded import LoadedProject
    from cutline.topics.schemas.place import SchemaPlace


def schema_place(project: LoadedProject) -> SchemaPlace:
    """The schema registry that `topics` declares; else a folder, beside topics that are files, or
    in the lake."""
    section = project.file.topics
    if isinstance(section, FileTopicsSection):
        return SchemaFiles(f"{project.path(section.path)}/{SCHEMAS}")
    if section.registry is None:
        return SchemaFiles(f"{project.lake}/{SCHEMAS}")
    # Importing the client takes a while, which others need not wait for.
    from cutline.kafka.registry import Registry, registry_settings
    from cutline.topics.schemas.registered import RegisteredSchemas

    settings = registry_settings(section.registry, project.folder)
    assert settings is not None
    return RegisteredSchemas(Registry(settings, "topics"))
