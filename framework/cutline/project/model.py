"""The whole of cutline.yaml."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from cutline.project.base import Section
from cutline.project.context import ContextSection
from cutline.project.region import Region
from cutline.project.source import Source
from cutline.project.spark import SparkSection
from cutline.project.topics import FileTopics


class ProjectFile(Section):
    """A project: which legacy systems, which contexts and regions, and where things are kept.

    Paths are relative to the folder of cutline.yaml. `${NAME}` anywhere in a value is taken from
    the environment, `${file:PATH}` from a file.
    """

    version: Literal[1]
    """The version of this file's format."""
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)
    """The project's name."""
    lake: str = "lake"
    """Where tables are written: a folder, or any path that Spark can write."""
    control: SecretStr = SecretStr("sqlite:///control.db")
    """SQLAlchemy URL of the control database; it may hold a password."""
    topics: FileTopics
    """Where events, exceptions and breaks are sent."""
    sources: dict[str, Source]
    """The legacy systems."""
    contexts: dict[str, ContextSection]
    """The bounded contexts."""
    regions: dict[str, Region]
    """The regions, each a slice of every context."""
    spark: SparkSection = SparkSection()
    """The Spark session."""
