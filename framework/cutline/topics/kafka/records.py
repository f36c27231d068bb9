"""Committed records of partitions as a frame, one Spark task per partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
from confluent_kafka import Consumer, KafkaException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.kafka.collector import collector_paused
from cutline.kafka.header_maps import header_maps
from cutline.topics.kafka.reading import committed, reader
from cutline.topics.kafka.slots import Publisher, Slot

if TYPE_CHECKING:
    from confluent_kafka import Message

READ = (
    "slot int, topic string, partition int, offset bigint, millis bigint, key binary, "
    "headers map<string,binary>, value binary"
)
_BATCH = 2_000
_SCHEMA = pa.schema(
    [
        ("slot", pa.int32()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("millis", pa.int64()),
        ("key", pa.binary()),
        ("headers", pa.map_(pa.string(), pa.binary())),
        ("value", pa.binary()),
    ]
)


class OffsetRange(NamedTuple):
    """The records of a slot from offset `start` to before offset `end`."""

    slot: Slot
    start: int
    end: int


def committed_records(
    spark: SparkSession, publisher: Publisher, ranges: Sequence[OffsetRange]
) -> DataFrame:
    """One row per committed record of the ranges, in the columns of READ; in the order of offsets
    within each Spark partition, of which there is one per range.

    Of several headers of one name the last is taken.
    """
    parts = [r for r in ranges if r.start < r.end]
    if not parts:
        from cutline.spark.no_rows import no_rows

        return no_rows(spark, READ)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        consumer = reader(publisher.settings)
        try:
            for batch in batches:
                for place in batch.column(0):
                    yield from _batches(publisher, parts[place.as_py()], consumer)
        finally:
            consumer.close()

    return spark.range(0, len(parts), 1, len(parts)).mapInArrow(read, READ)


def as_texts(records: DataFrame) -> DataFrame:
    """The records in the columns of RECORDS in `cutline.topics.lines`; `line` is all of one as a
    JSON object."""
    texts = records.select(
        "topic",
        "partition",
        "offset",
        F.timestamp_millis("millis").alias("timestamp"),
        F.col("key").cast("string").alias("key"),
        F.transform_values("headers", lambda _, text: text.cast("string")).alias("headers"),
        F.col("value").cast("string").alias("value"),
    )
    names = ("partition", "offset", "timestamp", "key", "headers", "value")
    return texts.withColumn("line", F.to_json(F.struct(*names)))


def _batches(
    publisher: Publisher, part: OffsetRange, consumer: Consumer
) -> Iterator[pa.RecordBatch]:
    topic, partition = part.slot.topic, part.slot.partition
    rows: list[Message] = []
    try:
        for message in committed(
            consumer, topic, partition, part.start, part.end, publisher.patience
        ):
            rows.append(message)
            if len(rows) == _BATCH:
                yield _batch(part.slot, rows)
                rows = []
    except KafkaException as error:
        raise RuntimeError(f"{part.slot} cannot be read: {error.args[0].str()}") from error
    if rows:
        yield _batch(part.slot, rows)


@collector_paused()
def _batch(slot: Slot, messages: Sequence[Message]) -> pa.RecordBatch:
    size = len(messages)
    columns = {
        "slot": [slot.number] * size,
        "topic": [slot.topic] * size,
        "partition": [slot.partition] * size,
        "offset": [message.offset() for message in messages],
        "millis": [message.timestamp()[1] for message in messages],
        "key": [message.key() for message in messages],
        "value": [message.value() for message in messages],
    }
    headers = header_maps(
        [dict(message.headers() or ()) for message in messages], _SCHEMA.field("headers").type
    )
    arrays = [
        headers if field.name == "headers" else pa.array(columns[field.name], field.type)
        for field in _SCHEMA
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)
