"""The events of a context and their schemas, as `cutline schema` shows and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cutline.context import Context, Event
from cutline.context.payload import payload_fields, schema_file, schema_text, schema_uri, walked
from cutline.errors import ConfigurationError, did_you_mean
from cutline.lake.keep import keep


def chosen(context: Context, event: str | None) -> list[type[Event]]:
    """The event of that type, or all; ConfigurationError if there is none."""
    events = [one for aggregate in context.aggregates for one in aggregate.events]
    if event is None:
        return events
    found = [one for one in events if one.event_type() == event]
    if not found:
        known = [one.event_type() for one in events]
        raise ConfigurationError(
            f"context {context.name} has no event {event!r}.{did_you_mean(event, known)}",
            next_step=f"Its events are: {', '.join(known)}.",
        )
    return found


def written(context: Context, events: Sequence[type[Event]], folder: Path) -> list[Path]:
    """The files that the schemas were written to, replacing what was there."""
    files = {schema_file(one): schema_text(context.name, one) for one in events}
    keep(str(folder), files, "the schemas")
    return [folder / name for name in files]


def listed(context: Context, event: type[Event]) -> list[str | int]:
    """A line about an event: type, major, `dataschema`, and the paths of its personal fields."""
    personal = [path for path, _, is_personal in walked(payload_fields(event)) if is_personal]
    return [
        event.event_type(),
        event.schema_major,
        schema_uri(context.name, event),
        " ".join(personal) or "-",
    ]
