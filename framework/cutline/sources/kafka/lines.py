"""Records of change topics as lines: each as `kcat -J` exports it, so that both are read alike."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.kafka.avro import AvroTexts, UnreadableContent
from cutline.kafka.freeze import refuse_moved
from cutline.kafka.parts import TopicPart, parts
from cutline.kafka.registry import RegistrySettings
from cutline.kafka.written import Encode, RecordFormat, TopicReading, write_records
from cutline.sources.kafka.topic_input import TopicInput
from cutline.sources.line_account import LineAccount
from cutline.sources.text_records import RECORD_DDL, RECORD_SCHEMA, LineAccounts, as_arrow_text

if TYPE_CHECKING:
    from confluent_kafka import Message

_PLACES = 48
"""Bits of a place below the number of its partition: more than a partition has offsets."""

UNREADABLE_CHANGE = "cutline_unreadable"
"""The field of a change with the reason why nobody can read it."""

_Content = bytes | None


def _as_they_are(topic: str, message: Message) -> tuple[_Content, _Content]:
    del topic
    return _bytes(message.key()), _bytes(message.value())


def _bytes(content: object) -> _Content:
    return content if isinstance(content, bytes) else None


def write_lines(
    spark: SparkSession, topic_input: TopicInput, folder: str
) -> tuple[DataFrame, LineAccounts]:
    """The records as lines, by RECORD_SCHEMA, written to `folder`, and their number by partition.

    `file` is the number of the record's partition among all, `number` its offset. Bytes that are
    no UTF-8 stay as they are: the line is then no valid text, as that of a file.

    Raises what `refuse_moved` and `write_records` say.
    """
    refuse_moved(topic_input.settings, topic_input.topics, topic_input.key)
    reading = TopicReading(
        topic_input.settings, parts(topic_input.topics), topic_input.key, topic_input.patience
    )
    encoder = LineEncoder(
        topic_input.with_headers,
        topic_input.registry,
        topic_input.topics.schemas,
        topic_input.tables,
        topic_input.key,
    )
    record_format = RecordFormat(RECORD_SCHEMA, RECORD_DDL, encoder)
    records, counts = write_records(spark, reading, record_format, folder)
    accounts = (LineAccount(records=counts.get(slot.slot, 0)) for slot in topic_input.slots)
    return records, LineAccounts(tuple(accounts))


def lines_before(
    lines: DataFrame, numbers: Mapping[int, int], files: int
) -> tuple[DataFrame, LineAccounts]:
    """The lines of each partition before a number, where `numbers` has one, and their number."""
    ends = F.array(*(F.lit(numbers.get(file)).cast("bigint") for file in range(files)))
    end = F.get(ends, F.col("file"))
    before = lines.where(end.isNull() | (F.col("number") < end))
    # One row per partition.
    counts = {row["file"]: row["count"] for row in before.groupBy("file").count().collect()}
    accounts = (LineAccount(records=counts.get(file, 0)) for file in range(files))
    return before, LineAccounts(tuple(accounts))


@dataclass(frozen=True)
class LineEncoder:
    """What makes the columns of RECORD_SCHEMA of records; called once in each task.

    Headers are left out unless asked for, which is quicker. With a `registry`, what is Avro becomes
    JSON, by the newest schemas of `newest`. A value of one of `tables` that nobody can read becomes
    the change of a row whose image is not known, as `unreadable_change` says.
    """

    with_headers: bool
    registry: RegistrySettings | None = None
    newest: Mapping[str, int] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()
    key: str = ""

    def __call__(self) -> Encode:
        """The function of some records of a part to their columns."""
        if self.registry is None:
            return self._columns
        texts = AvroTexts(self.registry, self.newest, self.key, logical=False)
        return lambda part, messages: self._columns(part, messages, partial(self._avro, texts))

    def _columns(
        self,
        part: TopicPart,
        messages: Sequence[Message],
        contents: Callable[[str, Message], tuple[_Content, _Content]] = _as_they_are,
    ) -> list[pa.Array]:
        topic, partition = part.topic.encode(), part.partition
        place = (part.slot << _PLACES) + 1
        offsets = [int(message.offset() or 0) for message in messages]
        pairs = [_headers(message.headers()) if self.with_headers else b"" for message in messages]
        texts = [contents(part.topic, message) for message in messages]
        lines = [
            b'{"topic":"%b","partition":%d,"offset":%d,%b"key":%b,"payload":%b}'
            % (topic, partition, offset, headers, json_text(key), json_text(value))
            for offset, headers, (key, value) in zip(offsets, pairs, texts, strict=True)
        ]
        return [
            pa.array([part.slot] * len(lines), pa.int32()),
            pa.array(offsets, pa.int64()),
            pa.array([place + offset for offset in offsets], pa.int64()),
            as_arrow_text(pa.array(lines, pa.binary())),
        ]

    def _avro(self, texts: AvroTexts, topic: str, message: Message) -> tuple[_Content, _Content]:
        key, value = _as_they_are(topic, message)
        try:
            key = texts.text(key, f"{topic}-key")
        except UnreadableContent:
            key = None  # the row's image has it, if the value can be read
        try:
            return key, texts.text(value, f"{topic}-value")
        except UnreadableContent as unreadable:
            table = topic.rpartition(".")[2]
            # Of a topic that has not its table's name, nobody knows what the record is about.
            if value is None or table not in self.tables:
                return key, value
            return key, unreadable_change(table, unreadable.defect, value)


def unreadable_change(table: str, defect: str, content: bytes) -> bytes:
    """The change of a row of which nothing is known but its key, with the reason as its defect."""
    shown = base64.b64encode(content).decode()
    change = {"op": "u", "source": {"table": table}, UNREADABLE_CHANGE: defect, "content": shown}
    return json.dumps(change).encode()


def _headers(pairs: Iterable[Any] | None) -> bytes:
    if not pairs:
        return b""
    texts = (b"%b,%b" % (json_text(name.encode()), json_text(value)) for name, value in pairs)
    return b'"headers":[%b],' % b",".join(texts)


_CONTROL = re.compile(rb"[\x00-\x1f]")


def json_text(text: bytes | None) -> bytes:
    """Bytes as a JSON string, those that are no UTF-8 as they are; `null` for null."""
    if text is None:
        return b"null"
    escaped = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    if _CONTROL.search(escaped):
        escaped = _CONTROL.sub(lambda match: b"\\u%04x" % match[0][0], escaped)
    return b'"%b"' % escaped
