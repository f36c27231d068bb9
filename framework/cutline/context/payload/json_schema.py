"""A payload's JSON Schema, draft 2020-12: what is true of the text that we publish.

Not pydantic's own, which describes what a class would accept: a decimal also as a number, a moment
in any zone. Here a decimal is text with its digits, a moment text in UTC with microseconds, and
every field is there, null where it has no value.
"""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from inspect import cleandoc
from typing import Any
from urllib.parse import quote

from cutline.context.event import Event
from cutline.context.payload.field import PayloadField
from cutline.context.payload.reader import payload_fields

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_SHAPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "bigint": {"type": "integer", "format": "int64"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date", "pattern": f"^{_DAY}$"},
    "timestamp": {
        "type": "string",
        "format": "date-time",
        "pattern": f"^{_DAY}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}\\.[0-9]{{6}}Z$",
    },
}
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}


def schema_uri(context: str, event: type[Event]) -> str:
    """What `dataschema` says of an event: the name of its payload's schema, by type and major."""
    return f"urn:cutline:schema:{context}:{event.event_type()}:{event.schema_major}"


def schema_file(event: type[Event]) -> str:
    """The name of the file that holds the schema: `<type>.<major>.json`."""
    return f"{quote(event.event_type(), safe='')}.{event.schema_major}.json"


def schema_text(context: str, event: type[Event]) -> str:
    """The schema as the text of its file; the same for the same class, on every machine."""
    return json.dumps(json_schema(context, event), ensure_ascii=False, indent=2) + "\n"


def json_schema(context: str, event: type[Event]) -> dict[str, Any]:
    """The schema of an event's payload.

    `x-personal`, `x-unit` and `x-identified-by` carry what the class says beyond JSON Schema;
    bounds of what is text here (decimals, dates, moments) stand under `x-minimum` and the like.
    """
    document = {
        "$schema": _DIALECT,
        "$id": schema_uri(context, event),
        "title": event.event_type(),
        "description": cleandoc(event.__doc__ or ""),
        **_object(payload_fields(event)),
    }
    if event.identified_by:
        document["x-identified-by"] = list(event.identified_by)
    return document


def _object(fields: tuple[PayloadField, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _schema(field) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }


def _schema(field: PayloadField) -> dict[str, Any]:
    schema: dict[str, Any] = {"title": field.title} if field.title else {}
    if field.doc:
        schema["description"] = field.doc
    schema |= _shape(field)
    for name, bound in field.bounds:
        schema |= _bound(field, name, bound)
    if field.choices:
        schema["enum"] = list(field.choices)
    if field.nullable:
        schema["type"] = [schema["type"], "null"]
        if field.choices:
            schema["enum"] = [*field.choices, None]
    if field.unit:
        schema["x-unit"] = field.unit
    if field.personal:
        schema["x-personal"] = True
    return schema


def _shape(field: PayloadField) -> dict[str, Any]:
    if field.element is not None:
        return {"type": "array", "items": _schema(field.element)}
    if field.fields:
        return _object(field.fields)
    if field.kind == "decimal":
        return {"type": "string", "format": "decimal", "pattern": _decimal_pattern(field.type)}
    return dict(_SHAPES[field.kind])


def _decimal_pattern(type: str) -> str:
    digits, places = (int(n) for n in type.removeprefix("decimal(").rstrip(")").split(","))
    more = digits - places - 1
    whole = "0" if more < 0 else f"(?:0|[1-9][0-9]{{0,{more}}})"
    return f"^-?{whole}" + (f"\\.[0-9]{{{places}}}$" if places else "$")


def _bound(field: PayloadField, name: str, bound: Any) -> dict[str, Any]:
    if name in ("min_length", "max_length"):
        side = name.removesuffix("_length")
        return {f"{side}{'Items' if field.kind == 'array' else 'Length'}": bound}
    if isinstance(bound, int | str) and field.kind != "decimal":
        return {_BOUNDS[name]: bound}
    return {f"x-{_BOUNDS[name]}": _bound_text(field, bound)}


def _bound_text(field: PayloadField, bound: Any) -> str:
    """A bound as a value of the field would be written."""
    if field.kind == "decimal":
        return f"{Decimal(bound):f}"
    if isinstance(bound, dt.datetime):
        return (
            f"{bound.astimezone(dt.UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
        )
    return str(bound)
