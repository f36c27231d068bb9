"""What a payload's class promises, read once and free of Spark; all that cannot be kept is refused.

Spark predicates, JSON Schema and masking are made of these fields.
"""

from cutline.context.payload.field import PayloadField, walked
from cutline.context.payload.json_schema import (
    json_schema,
    schema_file,
    schema_text,
    schema_uri,
)
from cutline.context.payload.reader import payload_fields

__all__ = [
    "PayloadField",
    "json_schema",
    "payload_fields",
    "schema_file",
    "schema_text",
    "schema_uri",
    "walked",
]
