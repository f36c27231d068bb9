"""The topics of a project, of the kind that cutline.yaml says: the one place that chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.topics.files import FileTopics

if TYPE_CHECKING:
    from cutline.topics.interface import Topics
    from cutline.workspace import Workspace


def topics_of(workspace: Workspace) -> Topics:
    """The topics to which a run sends and from which it reads live events."""
    section = workspace.project.file.topics
    path = workspace.project.path(section.path)
    return FileTopics(path, section.partitions, workspace.lake.check_lease)
