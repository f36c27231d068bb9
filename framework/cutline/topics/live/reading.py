"""The records of live topics as rows, up to the position of a run."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.kafka.avro import AvroTexts, UnreadableContent
from cutline.kafka.freeze import refuse_moved
from cutline.kafka.frozen import FrozenTopics
from cutline.kafka.header_maps import header_maps
from cutline.kafka.moments import micros_of_millis, moment_of_millis
from cutline.kafka.parts import TopicPart, parts
from cutline.kafka.registry import RegistrySettings
from cutline.kafka.written import Encode, RecordFormat, TopicReading, write_records
from cutline.spark.no_rows import no_rows
from cutline.topics.cloudevents import UNREADABLE_BECAUSE
from cutline.topics.headers import CONTENT_TYPE
from cutline.topics.lines import RECORDS
from cutline.topics.live.attributes import as_cloudevents
from cutline.topics.live.place import LivePlace

if TYPE_CHECKING:
    from confluent_kafka import Message

_SCHEMA = pa.schema(
    [
        ("file", pa.int32()),
        ("number", pa.int64()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("millis", pa.int64()),
        ("key", pa.string()),
        ("headers", pa.map_(pa.string(), pa.string())),
        ("value", pa.string()),
        ("line", pa.string()),
    ]
)
_DDL = (
    "file int, number bigint, topic string, partition int, millis bigint, key string, "
    "headers map<string,string>, value string, line string"
)


def live_records(
    spark: SparkSession, places: Sequence[LivePlace], positions: Mapping[str, str], scratch: str
) -> DataFrame:
    """One row per record of the live topics up to the run's positions, in the columns of RECORDS.

    Each is a CloudEvent in the binary mode of its Kafka binding, or what could not be made one.
    `scratch` is a folder for files that must exist until the rows were read. Raises what
    `refuse_moved` and `write_records` say.
    """
    frames = []
    for place in places:
        topics = FrozenTopics.read(positions[place.name])
        refuse_moved(place.settings, topics, place.key)
        reading = TopicReading(
            place.settings, parts(topics), place.key, place.reading.stalled_seconds
        )
        encoder = _Encoder(place.registry, topics.schemas, place.key)
        record_format = RecordFormat(_SCHEMA, _DDL, encoder)
        rows, _ = write_records(spark, reading, record_format, f"{scratch}/{place.aggregate}")
        records = rows.select(
            "topic",
            "partition",
            F.col("number").alias("offset"),
            F.timestamp_millis("millis").alias("timestamp"),
            *("key", "headers", "value", "line"),
        )
        frames.append(as_cloudevents(records, place.records))
    everything = reduce(DataFrame.unionByName, frames)
    return everything.to(no_rows(spark, RECORDS).schema)


@dataclass(frozen=True)
class _Encoder:
    """What makes the columns of _SCHEMA of records; called once in each task.

    A key or a value that is no UTF-8 text is null: it cannot be read. With a `registry`, what is
    Avro becomes JSON, by the newest schemas of `newest`; where that cannot be, the value is null,
    and the header UNREADABLE_BECAUSE says why.
    """

    registry: RegistrySettings | None
    newest: Mapping[str, int]
    key: str

    def __call__(self) -> Encode:
        """The function of some records of a part to their columns."""
        texts = None
        if self.registry is not None:
            texts = AvroTexts(self.registry, self.newest, self.key, logical=True)

        def columns(part: TopicPart, messages: Sequence[Message]) -> list[pa.Array]:
            rows = [_row(part, message, texts) for message in messages]
            return [
                header_maps([row[at] for row in rows], field.type)
                if field.name == "headers"
                else pa.array([row[at] for row in rows], field.type)
                for at, field in enumerate(_SCHEMA)
            ]

        return columns


def _row(part: TopicPart, message: Message, texts: AvroTexts | None) -> tuple[Any, ...]:
    pairs: Iterable[Any] = message.headers() or ()
    # Of several headers of one name the last is taken.
    headers = dict(pairs)
    offset, millis = message.offset(), _millis(message)
    shown = {
        "topic": part.topic,
        "partition": part.partition,
        "offset": offset,
        "timestamp": None if millis is None else moment_of_millis(millis).isoformat(),
        "key": _shown(message.key()),
        "headers": {name: _shown(content) for name, content in headers.items()},
        "value": _shown(message.value()),
    }
    key, value, added = _key_and_value(part.topic, message, texts)
    named = {name: _text(content) for name, content in headers.items()} | added
    line = json.dumps(shown, ensure_ascii=False)
    place = (part.slot, offset, part.topic, part.partition, millis)
    return (*place, _text(key), named, _text(value), line)


def _millis(message: Message) -> int | None:
    """Its time; null where that is of no year from 1 to 9999."""
    millis = message.timestamp()[1]
    with contextlib.suppress(ValueError):
        return micros_of_millis(millis) // 1_000
    return None


def _key_and_value(
    topic: str, message: Message, texts: AvroTexts | None
) -> tuple[object, object, dict[str, str | None]]:
    """Key and value, as JSON where they are Avro, and headers that say so or why not."""
    key, value = message.key(), message.value()
    if texts is None or not isinstance(value, bytes):
        return key, value, {}
    with contextlib.suppress(UnreadableContent):
        key = texts.text(key, f"{topic}-key") if isinstance(key, bytes) else key
    try:
        text = texts.text(value, f"{topic}-value")
    except UnreadableContent as unreadable:
        return key, None, {UNREADABLE_BECAUSE: str(unreadable)}
    return key, text, {} if text is value else {CONTENT_TYPE: "application/json"}


def _text(content: object) -> str | None:
    """Bytes as text; null for what is none."""
    if not isinstance(content, bytes):
        return None if content is None else str(content)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _shown(content: object) -> str | None:
    """Bytes for people: what is no UTF-8 has its place only."""
    return content.decode(errors="replace") if isinstance(content, bytes) else _text(content)
