"""Archives are replayed to topics of files: chosen, evolved, labelled, in order, read back."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cutline.consumer.binding import envelope_of
from cutline.errors import ConfigurationError, RunFailed
from cutline.replay.archive import ArchiveReading
from cutline.replay.archive_files import freeze_archive, refuse_changed
from cutline.replay.raw import RawRecord
from support.avro_records import record
from support.replaying import AGAIN, Placed, numbers, project, standing

pytestmark = pytest.mark.usefixtures("spark")
ARCHIVE = {"archive": {"path": "archive", "format": "json"}}


def lines(path: Path, *records: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(r.record() if isinstance(r, Placed) else r) + "\n" for r in records)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def test_records_are_sent_as_they_were_and_labelled(tmp_path: Path) -> None:
    shop = project(tmp_path, ARCHIVE)
    lines(tmp_path / "archive" / "a.jsonl", Placed(1), Placed(2, "o-2"), Placed(3, minute=5))
    lines(tmp_path / "archive" / "b.jsonl.gz", Placed(4, data=None), Placed(5, "o-2"))
    end = shop.replay("orders", to=AGAIN)
    assert (end.read, end.replayed, end.exceptions, end.passed_over) == (5, 5, 0, 0)
    records = standing(tmp_path)
    by_key = {k: numbers(r for r in records if r.key == k) for k in (b"o-1", b"o-2")}
    assert by_key == {b"o-1": [1, 3, 4], b"o-2": [2, 5]}
    event = envelope_of(records[0])
    assert (event.migreplaysafe, event.extensions["migreplay"]) == (False, end.id)
    first = Placed(numbers(records)[0])
    assert event.id == f"id-{first.number}"
    assert [e.tombstone for e in map(envelope_of, records)].count(True) == 1
    assert sum(t["records"] for t in end.topics.values()) == 5
    again = shop.replay("orders", to=AGAIN)
    assert (again.already_complete, again.id) == (True, end.id)
    assert standing(tmp_path) == records


def test_a_look_says_what_would_be_sent_and_sends_nothing(tmp_path: Path) -> None:
    shop = project(tmp_path, ARCHIVE)
    nameless = Placed(0).record()
    del nameless["headers"]["ce_id"]
    lines(
        tmp_path / "archive" / "a.jsonl",
        nameless,
        Placed(1, minute=0, data={"total": 5}),
        Placed(2, minute=1, data={"total": 50}),
        Placed(3, minute=2, data={"total": 50}),
        Placed(4, "o-2", minute=1, data={"total": 50}),
        Placed(5, minute=1, data={"total": 50}, type="OrderPaid"),
    )
    selection: dict[str, Any] = {
        "since": "2024-11-01T06:00:00Z",
        "until": "2024-11-01T06:02:00Z",
        "keys": "o-1",
        "types": ["OrderPlaced"],
        "where": "get_json_object(data, '$.total') > 10",
    }
    look = shop.replay("orders", to=AGAIN, dry_run=True, pass_siblings=True, **selection)
    # What stands behind the exception is passed.
    assert (look.exceptions, look.replayed, look.waiting, look.passed_over) == (1, 1, 0, 4)
    assert not (tmp_path / "topics").exists()


def test_what_nobody_can_read_is_an_exception_and_its_siblings_wait(
    spark: SparkSession, tmp_path: Path
) -> None:
    shop = project(tmp_path, ARCHIVE)
    nameless = Placed(2).record()
    del nameless["headers"]["ce_id"]
    lines(tmp_path / "archive" / "a.jsonl", Placed(1), nameless, Placed(3), Placed(4, "o-2"))
    with (tmp_path / "archive" / "a.jsonl").open("a") as file:
        file.write("no record\n")
    end = shop.replay("orders", to=AGAIN)
    assert (end.replayed, end.exceptions, end.waiting) == (2, 2, 1)
    assert sorted(numbers(standing(tmp_path))) == [1, 4]
    reasons = {(o.outcome, o.reason): o.records for o in end.outcomes if o.reason}
    assert reasons == {
        ("exception", "unreadable-native-event"): 1,
        ("exception", "not-json"): 1,
        ("waiting", "waits-behind-an-exception"): 1,
    }
    rows = spark.read.parquet(end.exceptions_table).orderBy("number").collect()
    assert [(r["number"], r["why"]) for r in rows[:2]] == [
        (1, "it has no ce_id"),
        (2, "an earlier record of its key is an exception"),
    ]
    assert bytes(rows[2]["content"]) == b"no record"
    problems = [envelope_of(r).data for r in standing(tmp_path, f"{AGAIN}.exceptions")]
    assert sorted(d["number"] for d in problems) == [1, 2, 4]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'{"key":"a","headers":{},"va'),
        ("a.jsonl.gz", gzip.compress(b'{"key":"a"}\n' * 50, mtime=0)[:-12]),
        ("a.avro", b"Obj\x01 and no more"),
        ("a.parquet", b"PAR1 and no end"),
    ],
)
def test_a_torn_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    kind = {"jsonl": "json", "gz": "json"}.get(name.rpartition(".")[2], name.rpartition(".")[2])
    shop = project(tmp_path, {"archive": {"path": "archive", "format": kind}})
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"archive/{name} is torn, or not") as error:
        shop.replay("orders", to=AGAIN)
    assert error.value.exit_code == 2
    assert not (tmp_path / "topics").exists()


WRITER = record("Order", no="int", order="string", at="string", fax="string")
READER = record("Order", no="long", order="string", at="string", currency=("string", "EUR"))
PLACES = {
    "format": "json",
    "id": {"field": "no"},
    "type": {"constant": "OrderPlaced"},
    "subject": {"field": "order"},
    "time": {"field": "at"},
    "source": {"constant": "urn:erp"},
}


def test_documents_of_avro_are_read_by_the_readers_schema(tmp_path: Path) -> None:
    archive = {"path": "archive/*.avro", "format": "avro", "rows": "documents"}
    source = {"archive": archive | {"reader": "order.avsc"}}
    shop = project(tmp_path, source, records=PLACES)
    (tmp_path / "order.avsc").write_text(json.dumps(READER), encoding="utf-8")
    (tmp_path / "archive").mkdir()
    for name, schema in (
        ("1.avro", WRITER),
        ("2.avro", READER),
        ("3.avro", record("Bill", n="int")),
    ):
        row = {"no": 1, "order": name, "at": Placed(1).time, "fax": "5", "currency": "USD", "n": 1}
        with (tmp_path / "archive" / name).open("wb") as file:
            fastavro.writer(file, fastavro.parse_schema(schema), [row])
    end = shop.replay("orders", to=AGAIN)
    assert (end.replayed, end.exceptions) == (2, 1)
    assert [o.reason for o in end.outcomes if o.reason] == ["unresolvable-schema"]
    events = sorted(map(envelope_of, standing(tmp_path)), key=lambda e: e.subject or "")
    assert [(e.source, e.subject, e.partitionkey, e.type) for e in events] == [
        ("urn:erp", "1.avro", None, "OrderPlaced"),
        ("urn:erp", "2.avro", None, "OrderPlaced"),
    ]
    assert [e.data["currency"] for e in events] == ["EUR", "USD"]
    assert all("fax" not in e.data for e in events)


def test_events_of_parquet_are_those_of_the_lake(tmp_path: Path) -> None:
    """Columns of the lake's own tables: attributes, and the payload's JSON as text."""
    moment = dt.datetime(2024, 11, 1, 6, 0, 0, 250, tzinfo=dt.UTC)
    rows = {
        "id": ["id-1", "id-2"],
        "type": ["OrderPlaced", "OrderPlaced"],
        "subject": ["o-1", "o-1"],
        "time": [moment, moment],
        "migorigin": ["synthetic", None],
        "migreplaysafe": [False, True],
        "data": ['{"total":1.10}', None],
        "ordinal": [1, 2],
    }
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    frozen = freeze_archive(str(tmp_path), "parquet", "key")
    reading = ArchiveReading(frozen, "events", "replays.orders.source")
    [[first, second]] = reading.reader().read(reading.parts[0])
    assert first.headers == {
        "ce_specversion": "1.0",
        "content-type": "application/json",
        "ce_id": "id-1",
        "ce_type": "OrderPlaced",
        "ce_subject": "o-1",
        "ce_time": "2024-11-01T06:00:00.000250Z",
        "ce_migorigin": "synthetic",
        "ce_migreplaysafe": "false",
    }
    assert (first.key, first.value, second.value) == (b"o-1", b'{"total":1.10}', None)
    assert first.micros == moment.timestamp() * 1_000_000
    assert second.headers["ce_migreplaysafe"] == "true"
    assert [first.offset(), second.offset()] == [0, 1]


def test_a_file_that_cannot_be_read_to_its_end_is_named(tmp_path: Path) -> None:
    """Found by who reads it, as its beginning and its end are sound."""
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"key": ["o"] * 20_000}), file, compression=None, use_dictionary=False)
    content = bytearray(file.read_bytes())
    content[40:4_000] = b"\xff" * 3_960
    file.write_bytes(content)
    frozen = freeze_archive(str(tmp_path), "parquet", "key")
    reading = ArchiveReading(frozen, "records", "replays.orders.source")
    with pytest.raises(RunFailed, match=r"a\.parquet cannot be read to its end"):
        list(reading.reader().read(reading.parts[0]))


def event(number: int, **members: Any) -> dict[str, Any]:
    """A row of an archive of events."""
    attributes = {name.removeprefix("ce_"): t for name, t in Placed(number).headers().items()}
    attributes["datacontenttype"] = attributes.pop("content-type")
    return {**attributes, "data": {"no": number}, **members}


def raw_of(folder: Path, rows: str, *records: Any) -> list[RawRecord]:
    """What a task reads of lines."""
    lines(folder / "archive" / "a.jsonl", *records)
    frozen = freeze_archive(str(folder / "archive"), "json", "key")
    reading = ArchiveReading(frozen, rows, "replays.orders.source")  # type: ignore[arg-type]
    [batch] = reading.reader().read(reading.parts[0])
    return batch


def test_behind_an_event_whose_time_is_none_its_siblings_wait(tmp_path: Path) -> None:
    """In lines as in Parquet, which is whole all the same."""
    for kind in ("json", "parquet"):
        folder = tmp_path / kind
        source = {"archive": {"path": "archive", "format": kind, "rows": "events"}}
        shop = project(folder, source)
        events = [event(1), event(2, time="never"), event(3)]
        lines(folder / "archive" / "a.jsonl", *events)
        if kind == "parquet":
            table = pa.Table.from_pylist([e | {"data": json.dumps(e["data"])} for e in events])
            pq.write_table(table, folder / "archive" / "a.parquet")
            (folder / "archive" / "a.jsonl").unlink()
        end = shop.replay("orders", to=AGAIN)
        assert (end.replayed, end.exceptions, end.waiting) == (1, 1, 1)
        assert [o.reason for o in end.outcomes if o.outcome == "exception"] == [
            "unreadable-native-event"
        ]


def test_a_record_that_is_none_has_its_reason_and_its_key(tmp_path: Path) -> None:
    half = Placed(4).record()
    half["headers"]["ce_subject"] = "\ud800"
    read = raw_of(
        tmp_path,
        "records",
        Placed(1).record() | {"timestamp": 1730440800_000_000_000},
        Placed(2).record() | {"timestamp": -(10**30)},
        Placed(3).record() | {"timestamp": "never"},
        half,
        Placed(5).record() | {"headers": [1]},
        Placed(6).record() | {"timestamp": 253_402_300_799_999},
    )
    assert [r.unreadable and r.unreadable.defect for r in read] == [
        *["unreadable-native-event"] * 3,
        "not-text",
        "not-json",
        None,
    ]
    assert [r.key for r in read[:4]] == [b"o-1"] * 4
    assert "of no year from 1 to 9999" in str(read[0].unreadable)
    assert (read[3].headers, read[5].micros) == ({}, 253_402_300_799_999_000)


def test_the_payload_of_an_event_may_be_in_base64(tmp_path: Path) -> None:
    encoded = {"data": None, "data_base64": "eyJhIjoyfQ=="}
    read = raw_of(
        tmp_path,
        "events",
        event(1, **encoded),
        event(2, data_base64="eyJhIjoyfQ=="),
        event(3, **encoded | {"data_base64": "eyJh!"}),
        event(4, data="\ud800"),
    )
    assert read[0].value == b'{"a":2}'
    assert [r.unreadable and r.unreadable.defect for r in read] == [
        None,
        *["unreadable-native-event"] * 2,
        None,
    ]
    assert [r.key for r in read] == [b"o-1"] * 4


def test_one_record_that_nobody_can_read_stops_no_other(tmp_path: Path) -> None:
    upcasters = {"OrderPlaced": {1: {"default": {"currency": "EUR"}}}}
    shop = project(tmp_path, ARCHIVE, upcasters=upcasters)
    structured = Placed(3, "o-3").record()
    structured["headers"] = {"content-type": "application/cloudevents+json"}
    structured["value"] = event(3, subject="o-3", data=None, data_base64="eyJhIjoyfQ==")
    twice = json.loads(json.dumps(structured).replace("o-3", "o-4"))
    lines(
        tmp_path / "archive" / "a.jsonl",
        Placed(1, data={"buyer": "\ud800"}),
        Placed(2, "o-2"),
        Placed(5, "o-5").record() | {"timestamp": 1730440800_000_000_000},
        structured,
        twice,
        json.loads(json.dumps(structured).replace("o-3", "o-6").replace("eyJh", "!")),
    )
    file = tmp_path / "archive" / "a.jsonl"
    file.write_text(file.read_text().replace('"subject": "o-4"', '"subject": "o-4", "type": "x"'))
    end = shop.replay("orders", to=AGAIN)
    assert end.exceptions == 4
    assert {o.reason for o in end.outcomes if o.reason} == {
        "unreadable-native-event",
        "upcaster-failed",
    }
    sent = {envelope_of(record).subject: envelope_of(record).data for record in standing(tmp_path)}
    assert sent == {"o-2": {"no": 2, "currency": "EUR"}, "o-3": {"a": 2, "currency": "EUR"}}


def test_a_condition_that_fails_on_a_value_is_refused_with_the_reason(tmp_path: Path) -> None:
    shop = project(tmp_path, ARCHIVE)
    lines(tmp_path / "archive" / "a.jsonl", Placed(1, "7"), Placed(2))
    with pytest.raises(ConfigurationError, match=r"cannot be applied: .*CAST_INVALID_INPUT"):
        shop.replay("orders", to=AGAIN, where="cast(subject as int) > 3", dry_run=True)


def test_a_map_of_parquet_is_an_object_of_json(tmp_path: Path) -> None:
    counts = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32()))
    headers = pa.array([[("x", "1"), ("x", "2")]], pa.map_(pa.string(), pa.string()))
    value = pa.StructArray.from_arrays([counts], ["counts"])
    pq.write_table(pa.table({"headers": headers, "value": value}), tmp_path / "a.parquet")
    frozen = freeze_archive(str(tmp_path), "parquet", "key")
    reading = ArchiveReading(frozen, "records", "replays.orders.source")
    [[record]] = reading.reader().read(reading.parts[0])
    assert (record.value, record.headers) == (b'{"counts": {"a": 1}}', {"x": "2"})


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json.gz", "a.jsonl.zst"])
def test_lines_that_came_since_the_plan_are_not_read(tmp_path: Path, name: str) -> None:
    file, line = tmp_path / name, json.dumps(Placed(1).record()).encode() + b"\n"

    def packed(content: bytes) -> bytes:
        codec = {"gz": "gzip", "zst": "zstd"}.get(name.rpartition(".")[2])
        return content if codec is None else pa.compress(content, codec, asbytes=True)

    file.write_bytes(packed(line * 2))
    frozen = freeze_archive(str(tmp_path), "json", "key")
    with file.open("ab") as grown:
        grown.write(packed(line[:-1]))
    refuse_changed(frozen, "key")
    reading = ArchiveReading(frozen, "records", "replays.orders.source")
    [batch] = reading.reader().read(reading.parts[0])
    assert len(batch) == 2


@pytest.mark.parametrize("change", ["grew", "shrank"])
def test_a_file_that_is_read_as_a_whole_must_be_the_same(tmp_path: Path, change: str) -> None:
    pq.write_table(pa.table({"key": ["o"]}), tmp_path / "a.parquet")
    frozen = freeze_archive(str(tmp_path), "parquet", "key")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content * 2 if change == "grew" else content[:-1])
    with pytest.raises(RunFailed, match=rf"a\.parquet has .* bytes, and had .*: it {change}"):
        refuse_changed(frozen, "key")


def test_a_time_that_no_consumer_reads_is_none(tmp_path: Path) -> None:
    shop = project(tmp_path, ARCHIVE)
    times = ("06:00:00", "2024-11-01", "2024-11-01T06:00:00", "2024-11-01t06:00:00z")
    records = [Placed(number, f"o-{number}").record() for number in range(4)]
    for placed, time in zip(records, times, strict=True):
        placed["headers"]["ce_time"] = time
    lines(tmp_path / "archive" / "a.jsonl", *records)
    look = shop.replay("orders", to=AGAIN, dry_run=True)
    assert (look.exceptions, look.replayed) == (3, 1)
