"""The events of a context with their JSON Schemas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutline import display
from cutline.context import Context, Event
from cutline.context.payload import (
    json_schema,
    payload_fields,
    schema_file,
    schema_text,
    schema_uri,
    walk_fields,
)
from cutline.errors import ConfigurationError, did_you_mean
from cutline.lake.keep import write_files
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class EventSchema:
    """One event type of a context: its schema, and the paths of its personal fields.

    `dataschema` is the URI in its envelopes.
    """

    event: str
    major: int
    dataschema: str
    personal: tuple[str, ...]
    document: dict[str, Any]


@dataclass(frozen=True, repr=False)
class EventSchemas:
    """Events of a context, in the order of their aggregates."""

    context: Context
    events: tuple[type[Event], ...]

    @property
    def schemas(self) -> tuple[EventSchema, ...]:
        """One schema per event."""
        return tuple(_schema(self.context, event) for event in self.events)

    @document_as_written
    def as_json(self) -> list[dict[str, Any]]:
        """The document of `cutline schema --json`: the schemas themselves."""
        return [schema.document for schema in self.schemas]

    def write(self, folder: str | Path) -> list[Path]:
        """Write a file per schema, replacing existing ones, and return their paths."""
        files = {schema_file(event): schema_text(self.context.name, event) for event in self.events}
        write_files(str(folder), files, "the schemas")
        return [Path(folder) / name for name in files]

    def __repr__(self) -> str:
        return f"<EventSchemas of {self.context.name}: {len(self.events)} events>"

    def _repr_html_(self) -> str:
        columns = ("event", "major", "dataschema", "personal")
        rows = [[getattr(schema, name) for name in columns] for schema in self.schemas]
        return display.table(columns, rows)


def event_schemas(context: Context, event_type: str | None) -> EventSchemas:
    """The event of that type, or all; ConfigurationError if there is none."""
    events = tuple(event for aggregate in context.aggregates for event in aggregate.events)
    if event_type is None:
        return EventSchemas(context, events)
    of_type = tuple(event for event in events if event.event_type() == event_type)
    if not of_type:
        event_types = [event.event_type() for event in events]
        raise ConfigurationError(
            f"context {context.name} has no event {event_type!r}."
            f"{did_you_mean(event_type, event_types)}",
            next_step=f"Its events are: {', '.join(event_types)}.",
        )
    return EventSchemas(context, of_type)


def _schema(context: Context, event: type[Event]) -> EventSchema:
    personal = [path for path, _, is_personal in walk_fields(payload_fields(event)) if is_personal]
    return EventSchema(
        event.event_type(),
        event.schema_major,
        schema_uri(context.name, event),
        tuple(personal),
        json_schema(context.name, event),
    )
