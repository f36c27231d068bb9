"""Records of change topics as lines: each as `kcat -J` exports it, so that both are read alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cutline.kafka.freeze import refuse_moved
from cutline.kafka.parts import TopicPart, parts
from cutline.kafka.written import RecordFormat, TopicReading, write_records
from cutline.sources.kafka.topic_input import TopicInput
from cutline.sources.line_account import LineAccount
from cutline.sources.text_records import RECORD_DDL, RECORD_SCHEMA, LineAccounts, as_arrow_text

if TYPE_CHECKING:
    from confluent_kafka import Message

_PLACES = 48
"""Bits of a place below the number of its partition: more than a partition has offsets."""


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
    line = with_headers if topic_input.with_headers else without_headers
    record_format = RecordFormat(RECORD_SCHEMA, RECORD_DDL, line)
    records, counts = write_records(spark, reading, record_format, folder)
    accounts = (LineAccount(records=counts.get(slot.slot, 0)) for slot in topic_input.slots)
    return records, LineAccounts(tuple(accounts))


def with_headers(part: TopicPart, messages: Sequence[Message]) -> list[pa.Array]:
    """The columns of RECORD_SCHEMA for some records of a part, their headers among them."""
    headers = (message.headers() for message in messages)
    return _columns(part, messages, [_headers(pairs) if pairs else b"" for pairs in headers])


def without_headers(part: TopicPart, messages: Sequence[Message]) -> list[pa.Array]:
    """As `with_headers`, with none, which is quicker."""
    return _columns(part, messages, [b""] * len(messages))


def _columns(
    part: TopicPart, messages: Sequence[Message], headers: Sequence[bytes]
) -> list[pa.Array]:
    topic, partition, place = part.topic.encode(), part.partition, (part.slot << _PLACES) + 1
    offsets = [int(message.offset() or 0) for message in messages]
    lines = [
        b'{"topic":"%b","partition":%d,"offset":%d,%b"key":%b,"payload":%b}'
        % (topic, partition, offset, pairs, json_text(message.key()), json_text(message.value()))
        for message, offset, pairs in zip(messages, offsets, headers, strict=True)
    ]
    return [
        pa.array([part.slot] * len(lines), pa.int32()),
        pa.array(offsets, pa.int64()),
        pa.array([place + offset for offset in offsets], pa.int64()),
        as_arrow_text(pa.array(lines, pa.binary())),
    ]


def _headers(pairs: Iterable[Any]) -> bytes:
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
