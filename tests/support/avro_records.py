"""Avro as a producer with a schema registry writes it."""

from __future__ import annotations

import io
from typing import Any

import fastavro

from support.servers.registry import SchemaRegistry


def encoded(registry: SchemaRegistry, subject: str, schema: Any, value: Any) -> bytes:
    """A value in the wire format of Confluent's serializers; its schema is registered."""
    return with_schema(registry.register(subject, schema), schema, value)


def with_schema(number: int, schema: Any, value: Any) -> bytes:
    """The same with the id of a schema, known to a registry or not."""
    content = io.BytesIO()
    fastavro.schemaless_writer(content, fastavro.parse_schema(schema), value)
    return b"\x00" + number.to_bytes(4, "big") + content.getvalue()


def record(name: str, **fields: Any) -> dict[str, Any]:
    """A schema of a record. A type in a tuple comes with its default."""
    return {
        "type": "record",
        "name": name,
        "fields": [
            {"name": field, "type": kind[0], "default": kind[1]}
            if isinstance(kind, tuple)
            else {"name": field, "type": kind}
            for field, kind in fields.items()
        ],
    }


def envelope(table: str, **columns: Any) -> dict[str, Any]:
    """The schema of Debezium's changes of a table of PostgreSQL."""
    source = record(
        "Source",
        connector="string",
        db="string",
        schema="string",
        table="string",
        txId="long",
        lsn="long",
        sequence="string",
        snapshot="string",
        ts_ms="long",
    )
    return record(
        f"{table}_Envelope",
        before=(["null", record("Value", **columns)], None),
        after=(["null", "Value"], None),
        op="string",
        ts_ms="long",
        source=source,
        transaction=record("Block", id="string", total_order="long"),
    )
