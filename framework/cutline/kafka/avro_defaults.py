"""Schemas of Avro whose fields' defaults are values, as those that are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "null": type(None),
    "boolean": bool,
    "int": int,
    "long": int,
    "float": (int, float),
    "double": (int, float),
    "array": list,
    "map": dict,
    "record": dict,
    "error": dict,
}
"""What JSON has as the default of a type; a text for any other."""


def parsed_schema(schema: Any, inner: Iterable[Any] = ()) -> Any:
    """A schema as fastavro has it, which may name types of the `inner` ones before it.

    fastavro gives a reader each default as its JSON stands in the schema. Here it is what is read
    where the value was written: bytes of a text's code points, a moment of a number, a record with
    the defaults of its own fields. One that is no value of its type stays as it stands. Raises
    what fastavro does.
    """
    import fastavro

    named: dict[str, Any] = {}
    for referenced in inner:
        fastavro.parse_schema(referenced, named)
    parsed = fastavro.parse_schema(schema, named)
    records = [kind for kind in named.values() if "fields" in kind]
    defaulted = [field for record in records for field in record["fields"] if "default" in field]
    # All of them before the first is replaced, as one may be a part of another.
    values = [_value_or_json(field["default"], field["type"], named) for field in defaulted]
    for field, value in zip(defaulted, values, strict=True):
        field["default"] = value
    for root in parsed if isinstance(parsed, list) else [parsed]:
        if isinstance(root, dict):
            # Unless it says so, fastavro parses it at each use, and refuses values as defaults.
            root |= {"__fastavro_parsed": True, "__named_schemas": named}
    return parsed


def _value_or_json(default: Any, schema: Any, named: Mapping[str, Any]) -> Any:
    try:
        return _value(default, schema, named)
    except Exception:
        # Such as a text that is no UUID: fastavro takes it, and many schemas have it.
        return default


def _value(default: Any, schema: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        fitting = (branch for branch in schema if _fits(default, branch, named))
        return _value(default, next(fitting, "string"), named)
    from fastavro.read import LOGICAL_READERS

    described = _described(schema, named)
    value = _plain_value(default, described, named)
    logical = LOGICAL_READERS.get(f"{described['type']}-{described.get('logicalType')}")
    return value if logical is None else logical(value, described, None)


def _plain_value(default: Any, schema: dict[str, Any], named: Mapping[str, Any]) -> Any:
    match schema["type"]:
        case "bytes" | "fixed":
            return default.encode("latin-1")
        case "float" | "double":
            return float(default)
        case "array":
            return [_value(item, schema["items"], named) for item in default]
        case "map":
            return {name: _value(item, schema["values"], named) for name, item in default.items()}
        case "record" | "error":
            members = {f["name"]: f["default"] for f in schema["fields"] if "default" in f}
            types = {field["name"]: field["type"] for field in schema["fields"]}
            members |= {name: item for name, item in default.items() if name in types}
            return {name: _value(item, types[name], named) for name, item in members.items()}
    return default


def _fits(default: Any, branch: Any, named: Mapping[str, Any]) -> bool:
    kind = _described(branch, named)["type"]
    is_boolean = isinstance(default, bool)
    return isinstance(default, _KINDS.get(kind, str)) and is_boolean == (kind == "boolean")


def _described(schema: str | dict[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of a type or of its name."""
    if isinstance(schema, dict):
        return schema
    return named.get(schema) or {"type": schema}
