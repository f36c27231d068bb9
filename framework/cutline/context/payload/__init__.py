"""The fields of payload classes, read once and without Spark.

Spark predicates, JSON Schemas and masking are made of them, and what Python code made is brought
into their shape. A class with a promise that columns cannot keep is refused.
"""

from cutline.context.payload.field import PayloadField, walk_fields
from cutline.context.payload.json_schema import (
    json_schema,
    schema_file,
    schema_text,
    schema_uri,
)
from cutline.context.payload.reader import payload_fields
from cutline.context.payload.values import PayloadFault, fault_path, payload_values
from cutline.context.payload.widening import narrowed

__all__ = [
    "PayloadFault",
    "PayloadField",
    "fault_path",
    "json_schema",
    "narrowed",
    "payload_fields",
    "payload_values",
    "schema_file",
    "schema_text",
    "schema_uri",
    "walk_fields",
]
