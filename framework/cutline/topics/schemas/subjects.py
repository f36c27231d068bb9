"""The schemas of a context's payloads, and the subjects under which they are to be found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.context import Context
from cutline.context.payload import json_schema


@dataclass(frozen=True)
class PayloadSchema:
    """The JSON Schema of an event type's payload, under one major version.

    `subject` is `<prefix>.<context>.<type>.v<major>`, the same for all topics and regions.
    """

    event: str
    major: int
    subject: str
    document: Mapping[str, Any]


def payload_schemas(prefix: str, context: Context) -> list[PayloadSchema]:
    """The schemas of all events of a context, in the order of its aggregates."""
    return [
        PayloadSchema(
            event.event_type(),
            event.schema_major,
            f"{prefix}.{context.name}.{event.event_type()}.v{event.schema_major}",
            json_schema(context.name, event),
        )
        for aggregate in context.aggregates
        for event in aggregate.events
    ]
