"""The JSON Schemas of a context's events, as files that a run keeps beside its tables."""

from __future__ import annotations

from cutline.context.context import Context
from cutline.context.payload import schema_file, schema_text

SCHEMAS = "schemas"
"""The folder of a run in which the schemas of its context are kept."""


def schemas(context: Context) -> dict[str, str]:
    """The schemas of all events of a context as texts, by file name, in the order of aggregates."""
    events = [event for aggregate in context.aggregates for event in aggregate.events]
    return {schema_file(event): schema_text(context.name, event) for event in events}
