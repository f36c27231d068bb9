"""The rows of archives, read in tasks: each as a record of a topic, or with the reason why not."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal

from cutline.consumer.envelope import ATTRIBUTES
from cutline.consumer.json_text import member_texts, parsed_json
from cutline.errors import RunFailed
from cutline.kafka.avro import plain_json
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

RowKind = Literal["records", "events", "documents"]
_BATCH = 1_000


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
                yield _document_record(number, document, rows)

    def _documents(self, file: ArchiveFile) -> Iterator[dict[str, Any] | Unreadable]:
        if self._reading.frozen.format == "avro":
            yield from avro_documents(partial(opened_whole, file), self._reading.schema)
            return
        for batch in parquet_batches(file, _BATCH):
            yield from batch.to_pylist()


def _line_record(number: int, line: bytes, as_record: Any) -> RawRecord:
    try:
        record: RawRecord = as_record(number, line.decode())
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        content = line.rstrip(b"\r\n")
        unreadable = Unreadable("not-json", f"its line is no record: {error}", content)
        return RawRecord(number, None, {}, content, None, unreadable=unreadable)
    return record


def _topic_line(number: int, line: str) -> RawRecord:
    """A line of a topic of files; its place is its offset."""
    offset = parsed_json(member_texts(line)["offset"])
    record = _record_line(number, line)
    return record if not isinstance(offset, int) else record.at(offset)


def _record_line(number: int, line: str) -> RawRecord:
    texts = member_texts(line)
    key = parsed_json(texts.get("key", "null"))
    headers = parsed_json(texts.get("headers", "{}")) or {}
    value = texts.get("value", "null")
    moment = parsed_json(texts.get("timestamp", "null"))
    return RawRecord(
        number,
        None if key is None else str(key).encode(),
        {name: str(text) for name, text in headers.items() if text is not None},
        None if value == "null" else value.encode(),
        micros_of(moment),
    )


def _event_line(number: int, line: str) -> RawRecord:
    texts = member_texts(line)
    event = {name: parsed_json(text) for name, text in texts.items() if name != "data"}
    data = texts.get("data", "null")
    # A column of a table has the payload's JSON as its text.
    payload = parsed_json(data) if data.startswith('"') else data
    return _event(number, event, None if payload == "null" else str(payload).encode())


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
    return RawRecord(
        number,
        _bytes(document.get("key")),
        {name: _header(text) for name, text in pairs if text is not None},
        value,
        micros_of(document.get("timestamp")),
    )


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
    recorded = event.get("recordedtime") or event.get("time")
    key = event.get("partitionkey") or event.get("subject")
    return RawRecord(number, _bytes(key), headers, data, micros_of(recorded))


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return _utc(value).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return str(value)


def micros_of(moment: Any) -> int | None:
    """Microseconds since 1970 of a time, of its text in ISO 8601, or of milliseconds."""
    if moment is None:
        return None
    if isinstance(moment, int):
        return moment * 1_000
    time = moment if isinstance(moment, dt.datetime) else dt.datetime.fromisoformat(str(moment))
    return (_utc(time) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


def _utc(time: dt.datetime) -> dt.datetime:
    return time.replace(tzinfo=dt.UTC) if time.tzinfo is None else in_utc(time)
