"""Records as they were read, in the columns that Spark's tasks write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from cutline.kafka.avro import AvroTexts, UnreadableContent
from cutline.kafka.header_maps import header_maps
from cutline.kafka.moments import micros_of_millis
from cutline.kafka.parts import TopicPart
from cutline.kafka.registry import RegistrySettings
from cutline.kafka.written import Encode
from cutline.topics.cloudevents import UNREADABLE
from cutline.topics.headers import CONTENT_TYPE

if TYPE_CHECKING:
    from confluent_kafka import Message

RAW = pa.schema(
    [
        ("file", pa.int32()),
        ("number", pa.int64()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("micros", pa.int64()),
        ("key", pa.string()),
        ("headers", pa.map_(pa.string(), pa.string())),
        ("value", pa.string()),
        ("content", pa.binary()),
        ("defect", pa.string()),
        ("explanation", pa.string()),
        ("writer", pa.string()),
        ("blank", pa.bool_()),
        ("start", pa.int64()),
        ("latest", pa.int64()),
    ]
)
"""`content` has the bytes of a value that nobody can read, `defect` the name of the reason.
`writer` is the schema that it was written with, where the value names it. A `blank` line is no
record. `start` is where the part begins in which it was read, and `latest` the latest time in that
part so far; null before any."""
RAW_DDL = (
    "file int, number bigint, topic string, partition int, micros bigint, key string, "
    "headers map<string,string>, value string, content binary, defect string, explanation string, "
    "writer string, blank boolean, start bigint, latest bigint"
)
_HEADERS = "headers"
_MAGIC = b"\x00"
_HEAD = 5
_JSON = "application/json"


class Unreadable(NamedTuple):
    """Why a record cannot be read: the name of the reason, a sentence, and its bytes; null for one
    that can."""

    defect: str | None
    why: str | None
    content: bytes | None


class RawRecord(NamedTuple):
    """A record. `number` is its place in its file or partition, `micros` its time since 1970. Its
    value `is_json` where it was made here. Headers that are bytes are read as UTF-8."""

    number: int
    key: bytes | None
    headers: Mapping[str, str | bytes]
    value: bytes | None
    micros: int | None
    unreadable: Unreadable | None = None
    blank: bool = False
    is_json: bool = False

    def offset(self) -> int:
        """Its place."""
        return self.number

    def at(self, number: int) -> RawRecord:
        """The same at another place."""
        return self._replace(number=number)


@dataclass(frozen=True)
class RawEncoder:
    """What makes the columns of RAW of records; called once in each task.

    With a `registry`, what is Avro becomes JSON, by the newest schemas of `newest`. `subject` is
    that of values of archives; of a topic it is its own. `key` is in cutline.yaml, for errors.
    """

    registry: RegistrySettings | None
    newest: Mapping[str, int]
    key: str
    subject: str | None = None

    def __call__(self) -> Encode:
        """The function of some records of a part to their columns."""
        texts = None
        if self.registry is not None:
            texts = AvroTexts(self.registry, self.newest, self.key, logical=True)

        latest: dict[TopicPart, int | None] = {}

        def columns(part: TopicPart, records: Sequence[Any]) -> list[pa.Array]:
            rows = []
            so_far = latest.get(part)
            for record in map(_raw, records):
                so_far = _later(so_far, record.micros)
                row = _row(part, record, texts, self.subject)
                rows.append((*row, part.start, so_far))
            latest[part] = so_far
            values = dict(zip(RAW.names, zip(*rows, strict=True), strict=True))
            return [
                header_maps(values[field.name], field.type)
                if field.name == _HEADERS
                else pa.array(values[field.name], field.type)
                for field in RAW
            ]

        return columns


def _later(time: int | None, other_time: int | None) -> int | None:
    return other_time if time is None else time if other_time is None else max(time, other_time)


def _raw(record: RawRecord | Message) -> RawRecord:
    if isinstance(record, RawRecord):
        return record
    pairs: Any = record.headers() or ()
    # Of several headers of one name the last is taken.
    headers = {name: text for name, text in pairs if text is not None}
    key, value, (_, millis) = record.key(), record.value(), record.timestamp()
    content = value.encode() if isinstance(value, str) else value
    name = key.encode() if isinstance(key, str) else key
    raw = RawRecord(int(record.offset() or 0), name, headers, content, None)
    try:
        return raw._replace(micros=micros_of_millis(millis))
    except ValueError as error:
        return raw._replace(unreadable=Unreadable(UNREADABLE, f"its timestamp: {error}", content))


def _row(
    part: TopicPart, record: RawRecord, texts: AvroTexts | None, subject: str | None
) -> tuple[object, ...]:
    headers, unreadable = record.headers, record.unreadable
    key, value, writer, is_json = record.key, record.value, None, record.is_json
    if unreadable is None and texts is not None:
        try:
            writer = _writer(value)
            key = texts.text(key, f"{part.topic}-key")
            content = texts.text(value, subject or f"{part.topic}-value")
            if content is not value:
                headers = {**headers, CONTENT_TYPE: _JSON}
                value, is_json = content, True
        except UnreadableContent as error:
            # The name of a defect ends with the number of its schema, which is the writer here.
            unreadable = Unreadable(error.defect.partition(":")[0], str(error), value)
    name, value_text = None, None
    if unreadable is None:
        try:
            name, value_text = _text(key), _payload(value, is_json=is_json)
        except UnicodeDecodeError:
            unreadable = Unreadable("not-text", "its key or its value is no UTF-8", value)
        except (ValueError, RecursionError) as error:
            name, unreadable = _text(key), Unreadable("not-json", f"its value: {error}", value)
    else:
        name = None if key is None else key.decode(errors="replace")
    place = (part.slot, record.number, part.topic, part.partition, record.micros)
    defect, why, content = unreadable or _READABLE
    return (*place, name, headers, value_text, content, defect, why, writer, record.blank)


_READABLE = Unreadable(None, None, None)


def _writer(value: bytes | None) -> str | None:
    if value is None or value[:1] != _MAGIC or len(value) < _HEAD:
        return None
    return f"schema {int.from_bytes(value[1:_HEAD], 'big')}"


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode()


def _payload(value: bytes | None, *, is_json: bool) -> str | None:
    """The text of a value that is JSON, in one line."""
    if value is None:
        return None
    text = value.decode()
    if not is_json:
        json.loads(text)
    # Valid JSON has line ends between its tokens only, where a blank does as well.
    return text.replace("\r", " ").replace("\n", " ").strip()
