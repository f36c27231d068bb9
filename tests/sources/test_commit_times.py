"""When a change was committed: a moment that its record spells, or a reason to put it aside."""

from __future__ import annotations

import json

import pyspark.sql.types as T
import pytest

from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, write


class Part(SourceContract):
    """One part."""

    id: T.IntegerType = column(doc="its number", nullable=False)

    class Config:
        metadata = table("shop", "parts", key=["id"])


def committed(spark, folder, lines, **section):
    """By key, the commit time of each change as text, or its first defect."""
    write(folder / "in.json", "\n".join(line for line in lines))
    changes = {"path": "in.json", "snapshot": {"policy": "in-log"}} | section
    sources = {"shop": {"kind": "log", "tables": {"parts": {}}, "changes": changes}}
    shown = "coalesce(cast(source_time as string), defects[0])"
    rows = Extract(folder, sources, (Part,)).run(spark).rows("shop_parts", "key", shown)
    return [text for _, text in sorted(rows, key=lambda row: json.loads(row[0])[0])]


def dms(number, text):
    record = {"record-type": "data", "operation": "insert", "table-name": "parts"}
    record |= {"schema-name": "shop", "commit-timestamp": text}
    return [json.dumps({"data": {"id": number}, "metadata": record})]


def wal2json(number, text):
    place = {"xid": number, "timestamp": text}
    row = {"name": "id", "type": "integer", "value": number}
    insert = {"action": "I", "lsn": f"0/{number}1", "schema": "s", "table": "parts"}
    lines = [
        {"action": "B", "lsn": f"0/{number}0"},
        insert | {"columns": [row]},
        {"action": "C", "lsn": f"0/{number}2"},
    ]
    return [json.dumps(line | place) for line in lines]


def decoding_text(number, text):
    lines = [
        f"BEGIN {number}",
        f"table s.parts: INSERT: id[integer]:{number}",
        f"COMMIT {number} (at {text})",
    ]
    return [
        json.dumps({"lsn": f"0/{number}{at}", "xid": str(number), "data": line})
        for at, line in enumerate(lines)
    ]


def ogg(number, text):
    fields = {"table": "SHOP.parts", "op_type": "I", "op_ts": text, "pos": str(number)}
    return [json.dumps(fields | {"after": {"id": number}})]


NO_TIME = "no-commit-time"
NO_MOMENTS = [
    "10:00:00",
    "T10:00",
    "2026",
    "2026-09",
    "2026-09-01",
    "2026-09-01 10:00:00.1234567",
    "2026-09-01 10:00:00 CEST",
    "now",
    "",
]
MOMENTS = {
    "2026-09-01 10:00:00": "2026-09-01 10:00:00",
    "2026-09-01T10:00:00.5Z": "2026-09-01 10:00:00.5",
    "2026-09-01 10:00:00.123456+05:30": "2026-09-01 04:30:00.123456",
    "2026-09-01 10:00:00.123456000+02": "2026-09-01 08:00:00.123456",
}


@pytest.mark.parametrize(
    ("kind", "records"),
    [("dms", dms), ("wal2json", wal2json), ("test_decoding", decoding_text), ("ogg", ogg)],
)
def test_a_text_that_spells_no_moment_is_no_commit_time(spark, tmp_path, kind, records):
    texts = [*NO_MOMENTS, *MOMENTS]
    lines = [line for at, text in enumerate(texts, 1) for line in records(at, text)]
    expected = [NO_TIME] * len(NO_MOMENTS) + list(MOMENTS.values())
    assert committed(spark, tmp_path, lines, kind=kind) == expected


def test_a_commit_time_with_an_offset_is_not_moved_by_the_zone(spark, tmp_path):
    texts = {
        "2026-09-01 10:00:00": "2026-09-01 08:00:00",
        "2026-09-01 10:00:00+02:00": "2026-09-01 08:00:00",
        "2026-09-01T10:00:00.5Z": "2026-09-01 10:00:00.5",
        "2026-09-01T10:00:00-03:30": "2026-09-01 13:30:00",
        "2026-03-29 02:30:00": NO_TIME,
        "2026-03-29 02:30:00+01": "2026-03-29 01:30:00",
        "2026-10-25 02:30:00": NO_TIME,
        "2026-10-25 02:30:00 +02:00": "2026-10-25 00:30:00",
        "2026-09-01": NO_TIME,
    }
    lines = [line for at, text in enumerate(texts, 1) for line in ogg(at, text)]
    assert committed(spark, tmp_path, lines, kind="ogg", zone="Europe/Berlin") == list(
        texts.values()
    )


def debezium(number, **moment):
    fields = json.loads(change("c", None, {"id": number}, table="parts", row=number))
    fields["source"] |= {"ts_ms": None} | moment
    return json.dumps(fields)


def canal(number, count):
    record = {"data": [{"id": str(number)}], "database": "shop", "table": "parts"}
    return json.dumps(record | {"type": "INSERT", "es": count})


def maxwell(number, count):
    record = {"database": "shop", "table": "parts", "type": "insert", "data": {"id": number}}
    return json.dumps(record | {"ts": count, "xid": number, "commit": True})


FIRST, LAST = -62_135_596_800, 253_402_300_799
ENDS = ["0001-01-01 00:00:00", "1970-01-01 00:00:00"]


@pytest.mark.parametrize(
    ("kind", "record", "unit", "end"),
    [
        ("canal", canal, 10**3, "9999-12-31 23:59:59.999"),
        ("maxwell", maxwell, 1, "9999-12-31 23:59:59"),
        (
            "debezium",
            lambda at, count: debezium(at, ts_ms=count),
            10**3,
            "9999-12-31 23:59:59.999",
        ),
        (
            "debezium",
            lambda at, count: debezium(at, ts_ms=5, ts_us=count),
            10**6,
            "9999-12-31 23:59:59.999999",
        ),
    ],
)
def test_a_count_out_of_range_is_no_commit_time(spark, tmp_path, kind, record, unit, end):
    inside = [FIRST * unit, 0, (LAST + 1) * unit - 1]
    outside = [FIRST * unit - 1, (LAST + 1) * unit, 1788256800 * unit * 1000, 2**63 - 1, -(2**63)]
    lines = [record(at, count) for at, count in enumerate([*inside, *outside], 1)]
    assert committed(spark, tmp_path, lines, kind=kind) == [*ENDS, end, *[NO_TIME] * len(outside)]
