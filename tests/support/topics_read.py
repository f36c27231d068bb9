"""What is read of real topics in a test: frozen, written, and as plain rows."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from pyspark.sql import SparkSession

from cutline.kafka import ClientSettings
from cutline.kafka.freeze import freeze_topics
from cutline.kafka.frozen import FrozenTopics
from cutline.kafka.parts import parts
from cutline.kafka.written import RecordFormat, TopicReading, write_records
from cutline.sources.kafka.lines import LineEncoder
from cutline.sources.text_records import RECORD_DDL, RECORD_SCHEMA
from support.servers.kafka import KafkaBroker

KEY = "sources.erp.changes.kafka"


def settings_of(broker: KafkaBroker) -> ClientSettings:
    """How a client of Cutline reaches the broker."""
    return ClientSettings({"bootstrap.servers": broker.bootstrap, "security.protocol": "PLAINTEXT"})


def frozen(broker: KafkaBroker, *topics: str, begin: Any = "beginning") -> FrozenTopics:
    """The topics up to now."""
    return freeze_topics(settings_of(broker), [topics], begin, KEY)


def read(
    spark: SparkSession,
    broker: KafkaBroker,
    topics: FrozenTopics,
    folder: Path,
    *,
    offsets: int = 500_000,
    patience: float = 20,
) -> list[dict[str, Any]]:
    """The records of the topics in the order of their places, each as the JSON of its line."""
    reading = TopicReading(settings_of(broker), parts(topics, offsets), KEY, patience)
    record_format = RecordFormat(RECORD_SCHEMA, RECORD_DDL, LineEncoder(with_headers=True))
    records, counts = write_records(spark, reading, record_format, str(folder / "lines"))
    rows = records.orderBy("place").collect()
    assert sum(counts.values()) == len(rows)
    assert len({row["place"] for row in rows}) == len(rows)
    return [json.loads(row["line"]) for row in rows]


@contextlib.contextmanager
def transaction(broker: KafkaBroker, name: str, *, commit: bool) -> Iterator[Producer]:
    """A producer within a transaction that is committed or aborted at the end."""
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": name})
    producer.init_transactions(20)
    producer.begin_transaction()
    yield producer
    producer.flush(20)
    if commit:
        producer.commit_transaction(20)
    else:
        producer.abort_transaction(20)


def values(records: Sequence[dict[str, Any]]) -> list[str | None]:
    """The payloads of records."""
    return [record["payload"] for record in records]
