"""Avro with a schema registry, as JSON text: writers' schemas are resolved to the newest."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from io import BytesIO
from typing import Any

from cutline.kafka.avro_defaults import parsed_schema
from cutline.kafka.registry import Registry, RegistrySettings, UnknownSchema, not_installed

_MAGIC = b"\x00"
_HEAD = 5
_Reader = Callable[[BytesIO], Any]


class UnreadableContent(Exception):
    """A key or a value that nobody can read: `defect` is its name, as that of a row's defect."""

    def __init__(self, defect: str, why: str) -> None:
        super().__init__(why)
        self.defect = defect


class AvroTexts:
    """Keys and values of records as JSON text, in one task.

    `newest` has by subject the id of the schema to which all are resolved; those of other subjects
    are read by the schema they were written with. With `logical`, dates, times and decimals are
    texts; otherwise they are the numbers and bytes that stand for them, as Connect's converter to
    JSON has them. Bytes are in Base64. `key` is in cutline.yaml, for errors.
    """

    def __init__(
        self, settings: RegistrySettings, newest: Mapping[str, int], key: str, *, logical: bool
    ) -> None:
        try:
            import fastavro
        except ImportError as error:
            raise not_installed(key) from error
        self._avro = fastavro
        self._registry, self._newest, self._logical = Registry(settings, key), newest, logical
        self._readers: dict[tuple[int, str], _Reader] = {}

    def text(self, content: bytes | None, subject: str) -> bytes | None:
        """JSON text of what was written with a schema; anything else as it is.

        UnreadableContent for a schema that the registry does not have or that is no Avro, for one
        that cannot be resolved to the newest, and for bytes that are not of their schema. Raises
        what `Registry` says.
        """
        if content is None or content[:1] != _MAGIC or len(content) < _HEAD:
            return content
        number = int.from_bytes(content[1:_HEAD], "big")
        read = self._readers.get((number, subject))
        if read is None:
            read = self._readers[number, subject] = self._reader(number, subject)
        try:
            value = read(BytesIO(content[_HEAD:]))
        except UnreadableContent:
            raise
        except Exception as error:
            why = f"its bytes are not of schema {number}: {type(error).__name__}"
            raise UnreadableContent(f"unreadable-by-schema:{number}", why) from error
        return plain_json(value).encode()

    def _reader(self, number: int, subject: str) -> _Reader:
        from fastavro.read import SchemaResolutionError

        try:
            writer = self._schema(number)
        except UnknownSchema:
            why = f"the schema registry has no schema {number}"
            return _refusing(UnreadableContent(f"unknown-schema:{number}", why))
        except UnreadableContent as unreadable:
            return _refusing(unreadable)
        newest = self._newest.get(subject)
        reader = None if newest in (None, number) else self._schema(int(newest or 0))
        avro = self._avro

        def read(content: BytesIO) -> Any:
            try:
                return avro.schemaless_reader(content, writer, reader)
            except SchemaResolutionError as error:
                why = f"schema {number} cannot be read as {newest}, the newest of {subject}"
                raise UnreadableContent(f"unresolvable-schema:{number}", why) from error

        return read

    def _schema(self, number: int) -> Any:
        schema = self._registry.schema(number)
        if schema.schema_type not in (None, "AVRO"):
            why = f"schema {number} is of {schema.schema_type}, and only Avro can be read"
            raise UnreadableContent(f"not-avro:{number}", why)
        inner = (self._plain(other.schema_str) for other in self._registry.referenced(schema))
        return parsed_schema(self._plain(schema.schema_str), inner)

    def _plain(self, text: str | None) -> Any:
        schema = json.loads(text or "null")
        return schema if self._logical else _without_logical_types(schema)


def _refusing(unreadable: UnreadableContent) -> _Reader:
    def read(content: BytesIO) -> Any:
        del content
        raise unreadable

    return read


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: inner if name == "default" else _without_logical_types(inner)
        for name, inner in schema.items()
        if name != "logicalType"
    }


def plain_json(value: Any) -> str:
    """JSON text of a value of Avro or Arrow: what JSON has no form for is a text, as `AvroTexts`
    says."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain_value)
    except ValueError:
        # Numbers that are none have no JSON of their own: as texts, as Connect writes them.
        return json.dumps(_without_nan(value), ensure_ascii=False, default=_plain_value)


def _plain_value(value: Any) -> Any:
    """What JSON has no form for."""
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case Decimal():
            return format(value, "f")
        case dt.datetime() if value.tzinfo is not None:
            return (
                value.astimezone(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
            )
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case uuid.UUID():
            return str(value)
    raise TypeError(f"a value of Avro has type {type(value).__name__}")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
