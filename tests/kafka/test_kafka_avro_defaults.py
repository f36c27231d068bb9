"""Defaults of Avro's schemas are what is read where the value was written."""

from __future__ import annotations

import datetime as dt
import io
import uuid
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from cutline.kafka.avro_defaults import parsed_schema
from support.avro_records import record


def logical(kind: str, meaning: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": meaning, **more}


MILLIS, MICROS = logical("long", "timestamp-millis"), logical("long", "timestamp-micros")
DAY = logical("int", "date")
MONEY = logical("bytes", "decimal", precision=6, scale=2)
FIXED = {"type": "fixed", "name": "Two", "size": 2}
ENUM = {"type": "enum", "name": "Side", "symbols": ["X", "Y"]}
UUID = logical("string", "uuid")
INNER = record("Inner", q=(MICROS, 5), price=(MONEY, "\u0001\u0000"))
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
FILLED = {"q": EPOCH + dt.timedelta(microseconds=5), "price": Decimal("2.56")}


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("bytes", "\u00ff", b"\xff"),
        (FIXED, "\u0000\u00ff", b"\x00\xff"),
        (MILLIS, 0, EPOCH),
        (DAY, 1, dt.date(1970, 1, 2)),
        (MONEY, "\u0001\u0000", Decimal("2.56")),
        (UUID, str(uuid.UUID(int=1)), uuid.UUID(int=1)),
        (UUID, "", ""),
        ("bytes", "\u20ac", "\u20ac"),
        ("double", 1, 1.0),
        ("boolean", True, True),
        (ENUM, "Y", "Y"),
        (INNER, {}, FILLED),
        (INNER, {"q": 0}, FILLED | {"q": EPOCH}),
        (["null", "bytes"], None, None),
        (["bytes", "null"], "\u00ff", b"\xff"),
        ([MILLIS, "null"], 0, EPOCH),
        (["boolean", "int"], True, True),
        (["null", "double", "boolean"], True, True),
        ({"type": "array", "items": DAY}, [1], [dt.date(1970, 1, 2)]),
        ({"type": "map", "values": "bytes"}, {"a": "\u00ff"}, {"a": b"\xff"}),
    ],
)
def test_a_default_is_the_value_that_is_read(kind: Any, default: Any, value: Any) -> None:
    writer = fastavro.parse_schema(record("Order", no="int"))
    written = io.BytesIO()
    fastavro.schemaless_writer(written, writer, {"no": 7})
    reader = parsed_schema(record("Order", no="int", new=(kind, default)))
    read = fastavro.schemaless_reader(io.BytesIO(written.getvalue()), writer, reader)
    assert read == {"no": 7, "new": value}
    assert type(read["new"]) is type(value)  # type: ignore[index,call-overload]


@pytest.mark.parametrize("root", ["array", "union"])
def test_a_record_within_another_schema_has_its_defaults(root: str) -> None:
    """And one that another schema declares, which a registry calls a reference."""

    def schema(*new: tuple[str, Any]) -> Any:
        fields = record("Order", no="int", **dict(new))
        return [fields, "null"] if root == "union" else {"type": "array", "items": fields}

    row: Any = {"no": 7} if root == "union" else [{"no": 7}]
    written = io.BytesIO()
    writer = fastavro.parse_schema(schema())
    fastavro.schemaless_writer(written, writer, row)
    reader = parsed_schema(schema(("new", ("Inner", {}))), [INNER])
    for _ in range(2):
        read = fastavro.schemaless_reader(io.BytesIO(written.getvalue()), writer, reader)
        assert (read if root == "union" else read[0]) == {"no": 7, "new": FILLED}  # type: ignore[index]
