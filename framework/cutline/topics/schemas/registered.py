"""Schemas at a schema registry, a subject for each event type and major version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from cutline.errors import ConfigurationError
from cutline.kafka.registry import Registry, SchemaRefused
from cutline.topics.schemas.failures import unreadable
from cutline.topics.schemas.subjects import PayloadSchema

_JSON = "JSON"


@dataclass(frozen=True)
class RegisteredSchemas:
    """The subjects of a registry."""

    registry: Registry

    def where(self, subject: str) -> str:
        """The subject, and the registry's address."""
        return f"subject {subject} of the schema registry at {self.registry.url}"

    def newest(self, subject: str) -> dict[str, Any] | None:
        """The newest schema of the subject; null if it has none."""
        schema = self.registry.newest_schema(subject)
        if schema is None:
            return None
        if schema.schema_type != _JSON:
            raise unreadable(subject, self.where(subject), f"it is of type {schema.schema_type}")
        try:
            document = json.loads(schema.schema_str or "")
        except ValueError as error:
            raise unreadable(subject, self.where(subject), f"it is no JSON: {error}") from error
        if not isinstance(document, dict):
            raise unreadable(subject, self.where(subject), "it is no JSON object")
        return document

    def refuse(self, schema: PayloadSchema) -> None:
        """ConfigurationError if the compatibility that the registry asks of the subject forbids the
        schema."""
        if not self.registry.is_allowed(schema.subject, _text(schema), _JSON):
            raise self._refusal(schema, "it is not compatible by the registry's own rule")

    def add(self, schema: PayloadSchema) -> None:
        """Register it as the next version of its subject."""
        try:
            self.registry.register(schema.subject, _text(schema), _JSON)
        except SchemaRefused as refused:
            raise self._refusal(schema, str(refused)) from refused

    def _refusal(self, schema: PayloadSchema, reason: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self.where(schema.subject)} does not take the payload schema of {schema.event}: "
            f"{reason}",
            left_behind="Nothing was sent.",
            next_step=f"Raise `schema_major` of {schema.event}, or set the compatibility of the "
            "subject to NONE: Cutline holds its own, which docs/publishing.md describes.",
        )


def _text(schema: PayloadSchema) -> str:
    return json.dumps(schema.document, ensure_ascii=False)
