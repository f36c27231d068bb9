"""Topics: where events, exceptions and breaks are sent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cutline.project.base import Section
from cutline.project.names import Slug


class FileTopics(Section):
    """Topics as folders with one JSON-lines file a partition: for a laptop, a dry run, a test."""

    kind: Literal["files"] = "files"
    """The kind of topics."""
    path: str = "topics"
    """The folder."""
    prefix: Slug
    """The first part of every topic's name."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Partitions of a new topic."""
