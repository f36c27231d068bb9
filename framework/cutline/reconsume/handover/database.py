"""The database of a service that is given the past of a topic."""

from __future__ import annotations

from cutline.control.service_database import DatabaseOfService
from cutline.project.loaded import LoadedProject
from cutline.topics.kafka.group import NOTHING_MOVED


class HandoverDatabase(DatabaseOfService):
    """The service's own database, in which the tables of handovers are."""

    called = "The database of the service"
    rights = "CREATE on its schema, SELECT, INSERT, UPDATE, DELETE on the tables of handovers"
    unchanged = NOTHING_MOVED

    @classmethod
    def of(cls, project: LoadedProject, group: str) -> HandoverDatabase:
        """That of a group of `handovers`. ConfigurationError for a file that is not there."""
        url = project.file.handovers[group].url
        return cls(url, project.folder, f"handovers.{group}.url")
