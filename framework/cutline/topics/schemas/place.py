"""What a place for schemas does: say which is there, and take another."""

from __future__ import annotations

from typing import Any, Protocol

from cutline.topics.schemas.subjects import PayloadSchema


class SchemaPlace(Protocol):
    """Where schemas are kept. Each method raises ConfigurationError for a schema that nobody can
    read or a right that is missing, and RunFailed where the place cannot be reached."""

    def where(self, subject: str) -> str:
        """The place of a subject, for people."""
        ...

    def newest(self, subject: str) -> dict[str, Any] | None:
        """The newest schema of a subject; null if it has none."""
        ...

    def refuse(self, schema: PayloadSchema) -> None:
        """ConfigurationError if the place has a rule of its own by which it would not take the
        schema as the next of its subject."""
        ...

    def add(self, schema: PayloadSchema) -> None:
        """Make it the newest of its subject."""
        ...
