"""The rows of archives, read in tasks: each as a record of a topic, or with the reason why not."""

from __future__ import annotations

import binascii
import datetime as dt
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal

from cutline.consumer.envelope import ATTRIBUTES
from cutline.consumer.json_text import member_texts, parsed_json
from cutline.errors import RunFailed
from cutline.kafka.avro import plain_json
from cutline.kafka.moments import micros_of_millis
from cutline.kafka.parts import TopicPart
from cutline.project.moment import in_utc
from cutline.replay.archive_files import (
    ArchiveFile,
    FrozenFiles,
    opened_lines,
    opened_whole,
    parquet_batches,
)
from cutline.replay.avro_rows import avro_documents
from cutline.replay.raw import RawRecord, Unreadable
from cutline.topics.cloudevents import UNREADABLE

RowKind = Literal["records", "events", "documents"]
_BATCH = 1_000
_FAULTS = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading raises of a row that is no record."""


class ArchivePart(TopicPart):
    """The rows of a file, as a part of a topic."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"file {self.topic}"


@dataclass(frozen=True)
class ArchiveReading:
    """The files of a replay, and how they are read. `reader` is the text of an Avro schema. `key`
    is in cutline.yaml, for errors."""

    frozen: FrozenFiles
    rows: RowKind
    key: str
    schema: str | None = None
    parts: Sequence[TopicPart] = field(init=False)

    def __post_init__(self) -> None:
        files = enumerate(self.frozen.files)
        parts = [
            ArchivePart(number, file.topic, file.partition, 0, file.rows) for number, file in files
        ]
        object.__setattr__(self, "parts", [part for part in parts if part.end])

    def reader(self) -> ArchiveReader:
        """What reads the files, one after the other."""
        return ArchiveReader(self)


class ArchiveReader:
    """Reads files, as one task does."""

    def __init__(self, reading: ArchiveReading) -> None:
        self._reading = reading

    def close(self) -> None:
        """Nothing is held open."""

    def read(self, part: TopicPart) -> Iterator[list[RawRecord]]:
        """The rows of a file, in batches, in their order.

        RunFailed, naming the file, where it ends too early.
        """
        file = self._reading.frozen.files[part.slot]
        rows = self._records(file)
        while True:
            try:
                batch = list(islice(rows, _BATCH))
            except Exception as error:
                raise RunFailed(
                    f"{self._reading.key}: {file.place} cannot be read to its end: "
                    f"{error or type(error).__name__}",
                    left_behind="Nothing was sent.",
                    next_step="Bring the whole file there again, and run the same command again.",
                ) from error
            if not batch:
                return
            yield batch

    def _records(self, file: ArchiveFile) -> Iterator[RawRecord]:
        kind, rows = self._reading.frozen.format, self._reading.rows
        if kind in ("json", "topic"):
            as_record = _topic_line if kind == "topic" else _OF_LINES[rows]
            with opened_lines(file) as lines:
                for number, line in enumerate(lines):
                    if line.strip():
                        yield _line_record(number, line, as_record)
                    else:
                        yield RawRecord(number, None, {}, None, None, blank=True)
            return
        documents = self._documents(file)
        for number, document in enumerate(documents):
            if isinstance(document, Unreadable):
                yield RawRecord(number, None, {}, document.content, None, unreadable=document)
            else:
                yield _row_record(number, document, rows)

    def _documents(self, file: ArchiveFile) -> Iterator[dict[str, Any] | Unreadable]:
        if self._reading.frozen.format == "avro":
            yield from avro_documents(partial(opened_whole, file), self._reading.schema)
            return
        for batch in parquet_batches(file, _BATCH):
            with warnings.catch_warnings():
                # Of several headers of one name the last is taken.
                warnings.simplefilter("ignore")
                documents = batch.to_pylist(maps_as_pydicts="lossy")
            yield from documents


def _line_record(number: int, line: bytes, as_record: Any) -> RawRecord:
    content = line.rstrip(b"\r\n")
    try:
        record: RawRecord = as_record(number, line.decode())
    except _FAULTS as error:
        unreadable = Unreadable("not-json", f"its line is no record: {error}", content)
        return RawRecord(number, None, {}, content, None, unreadable=unreadable)
    try:
        "".join((*record.headers, *map(str, record.headers.values()))).encode()
    except UnicodeEncodeError:
        unreadable = Unreadable("not-text", "a header of it is no text", content)
        return record._replace(headers={}, unreadable=unreadable)
    return record


def _row_record(number: int, row: Mapping[str, Any], rows: RowKind) -> RawRecord:
    try:
        return _document_record(number, row, rows)
    except _FAULTS as error:
        content = str(row).encode(errors="backslashreplace")
        unreadable = Unreadable("not-json", f"its row is no record: {error}", content)
        return RawRecord(number, None, {}, content, None, unreadable=unreadable)


def _topic_line(number: int, line: str) -> RawRecord:
    """A line of a topic of files; its place is its offset."""
    offset = parsed_json(member_texts(line)["offset"])
    record = _record_line(number, line)
    if not isinstance(offset, int):
        return record
    if not 0 <= offset < 2**63:
        raise ValueError(f"its offset is {offset}")
    return record.at(offset)


def _record_line(number: int, line: str) -> RawRecord:
    texts = member_texts(line)
    key = parsed_json(texts.get("key", "null"))
    headers = parsed_json(texts.get("headers", "{}")) or {}
    value = texts.get("value", "null")
    record = RawRecord(
        number,
        None if key is None else str(key).encode(),
        {name: str(text) for name, text in headers.items() if text is not None},
        None if value == "null" else value.encode(),
        None,
    )
    return _at_moment(record, parsed_json(texts.get("timestamp", "null")))


def _at_moment(record: RawRecord, moment: Any) -> RawRecord:
    try:
        return record._replace(micros=micros_of(moment))
    except ValueError as error:
        unreadable = Unreadable(UNREADABLE, f"its timestamp: {error}", record.value)
        return record._replace(unreadable=unreadable)


def _event_line(number: int, line: str) -> RawRecord:
    texts = member_texts(line)
    event = {name: parsed_json(text) for name, text in texts.items() if name != "data"}
    data = texts.get("data", "null")
    # A column of a table has the payload's JSON as its text.
    payload = str(parsed_json(data)) if data.startswith('"') else data
    # What is no text is told later, with the event's key.
    content = None if payload == "null" else payload.encode(errors="surrogatepass")
    return _event(number, event, content)


def _document_line(number: int, line: str) -> RawRecord:
    if not isinstance(json.loads(line), dict):
        raise ValueError("it is no JSON object")
    return RawRecord(number, None, {}, line.strip().encode(), None, is_json=True)


_OF_LINES = {"records": _record_line, "events": _event_line, "documents": _document_line}


def _document_record(number: int, document: Mapping[str, Any], rows: RowKind) -> RawRecord:
    if rows == "documents":
        whole = plain_json(dict(document)).encode()
        return RawRecord(number, None, {}, whole, None, is_json=True)
    if rows == "events":
        data = document.get("data")
        payload = data if data is None or isinstance(data, str) else plain_json(data)
        return _event(number, document, None if payload is None else payload.encode())
    headers = document.get("headers") or {}
    pairs = headers.items() if isinstance(headers, Mapping) else map(_pair, headers)
    value = document.get("value")
    if isinstance(value, str):
        value = value.encode()
    elif value is not None and not isinstance(value, bytes):
        value = plain_json(value).encode()
    record = RawRecord(
        number,
        _bytes(document.get("key")),
        {name: _header(text) for name, text in pairs if text is not None},
        value,
        None,
    )
    return _at_moment(record, document.get("timestamp"))


def _pair(entry: Any) -> tuple[str, Any]:
    """A header, of a list of pairs or of structs of key and value."""
    if isinstance(entry, Mapping):
        return str(entry["key"]), entry["value"]
    return str(entry[0]), entry[1]


def _header(text: Any) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)


def _bytes(content: Any) -> bytes | None:
    if content is None or isinstance(content, bytes):
        return content
    return str(content).encode()


def _event(number: int, event: Mapping[str, Any], data: bytes | None) -> RawRecord:
    """An event whose attributes are members."""
    headers = {"ce_specversion": "1.0", "content-type": "application/json"}
    for name, attribute in event.items():
        if attribute is None or name not in ATTRIBUTES:
            continue
        header = "content-type" if name == "datacontenttype" else f"ce_{name}"
        headers[header] = _attribute(attribute)
    key = event.get("partitionkey") or event.get("subject")
    moments = (_micros_or_none(event.get(name)) for name in ("recordedtime", "time"))
    micros = next((moment for moment in moments if moment is not None), None)
    record = RawRecord(number, _bytes(key), headers, data, micros)
    encoded = event.get("data_base64")
    return record if encoded is None else _with_encoded(record, encoded)


def _with_encoded(record: RawRecord, encoded: Any) -> RawRecord:
    """The record with the payload that its Base64 says."""
    try:
        if record.value is not None:
            raise ValueError("stands beside data, which is the payload as well")
        return record._replace(value=binascii.a2b_base64(encoded, strict_mode=True))
    except (ValueError, TypeError) as error:
        why = f"its data_base64 cannot be read: {error}"
        return record._replace(unreadable=Unreadable(UNREADABLE, why, str(encoded).encode()))


def _micros_or_none(moment: Any) -> int | None:
    """As `micros_of`; null for what is no moment, of which the event's attribute tells."""
    try:
        return micros_of(moment)
    except ValueError:
        return None


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return _utc(value).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return str(value)


def micros_of(moment: Any) -> int | None:
    """Microseconds since 1970 of a time, of its text in ISO 8601, or of milliseconds. ValueError
    for what is none, or is of no year from 1 to 9999."""
    if moment is None:
        return None
    if isinstance(moment, int):
        return micros_of_millis(moment)
    time = moment if isinstance(moment, dt.datetime) else dt.datetime.fromisoformat(str(moment))
    return (_utc(time) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


def _utc(time: dt.datetime) -> dt.datetime:
    return time.replace(tzinfo=dt.UTC) if time.tzinfo is None else in_utc(time)
