"""Publishing to a broker in tests: publishers, records and what a reader of topics sees."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cutline.control import PublishedPartition
from cutline.kafka import ClientSettings
from cutline.lake.lake import Lake
from cutline.topics.kafka.admin import APPENDED, COMPACTED
from cutline.topics.kafka.pace import Pace, Throttle
from cutline.topics.kafka.producing import KafkaRecord
from cutline.topics.kafka.reading import reader
from cutline.topics.kafka.sending import SlotSender
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.kafka.topics import KafkaTopics
from support.servers.kafka import KafkaBroker

MOMENT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
_NUMBERS = itertools.count(1)


def new_name(kind: str) -> str:
    """A prefix that no test of this run uses."""
    import os

    return f"{kind}-{os.getpid()}-{next(_NUMBERS)}"


def publisher(
    settings: ClientSettings,
    prefix: str,
    run: str = "run-1",
    epoch: int = 1,
    *,
    commit_seconds: float = 10.0,
    patience: float = 20.0,
    region: str = "north",
) -> Publisher:
    return Publisher(
        "shop",
        region,
        run,
        epoch,
        f"{prefix}.shop.progress",
        2,
        settings,
        commit_seconds=commit_seconds,
        patience=patience,
    )


def bootstrap(broker: KafkaBroker) -> ClientSettings:
    return ClientSettings({"bootstrap.servers": broker.bootstrap})


def slots_on(broker: KafkaBroker, prefix: str, partitions: int = 1) -> list[Slot]:
    """The slots of a new topic, beside a new topic of progress."""
    topic = broker.create_topic(f"{prefix}.shop.order.synthetic", partitions, APPENDED)
    broker.create_topic(f"{prefix}.shop.progress", 2, COMPACTED)
    return [Slot(number, topic, number) for number in range(partitions)]


def numbered(count: int, first: int = 0, size: int = 0) -> list[KafkaRecord]:
    """Records that say their number."""
    return [
        KafkaRecord(b"k%d" % (n % 7), b"%d" % n + b" " * size, [("ce_id", b"id-%d" % n)], 1_000 + n)
        for n in range(first, first + count)
    ]


def send(
    run_publisher: Publisher,
    slot: Slot,
    records: Sequence[KafkaRecord],
    attempt: int = 0,
    throttle: Throttle | None = None,
) -> SlotSender:
    """A sender that was given these records, and has committed what was due."""
    consumer = reader(run_publisher.settings)
    pace = Pace(throttle or Throttle(), run_publisher.settings)
    sender = SlotSender(run_publisher, slot, attempt, consumer, pace)
    give(sender, records)
    return sender


def give(sender: SlotSender, records: Sequence[KafkaRecord]) -> None:
    """Let a sender send these records."""
    sender.send(records, [*map(size_of, records)])


def size_of(record: KafkaRecord) -> int:
    """Bytes of key, value and headers."""
    headers = sum(len(name.encode()) + len(text) for name, text in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


def values(broker: KafkaBroker, topic: str) -> list[int]:
    """The numbers of the committed records of a topic, partition after partition."""
    return [int(m.value() or b"-1") for m in broker.read(topic)]


@dataclass
class Desk:
    """Runs of one slice that publish by Spark, with a lake each and one ledger."""

    broker: KafkaBroker
    folder: Path
    prefix: str
    settings: KafkaSettings = field(default_factory=lambda: KafkaSettings(2, 1))
    ledger: dict[tuple[str, str, int], PublishedPartition] = field(default_factory=dict)
    region: str = "north"

    @property
    def history(self) -> str:
        return f"{self.prefix}.shop.order.synthetic"

    @property
    def state(self) -> str:
        return f"{self.prefix}.shop.order.state"

    def topics(self, run: str, epoch: int, client: ClientSettings | None = None) -> KafkaTopics:
        return KafkaTopics(
            publisher(
                client or bootstrap(self.broker), self.prefix, run, epoch, region=self.region
            ),
            self.settings,
            Lake(str(self.folder / run)),
            self.remember,
        )

    def remember(self, published: Sequence[PublishedPartition]) -> None:
        for entry in published:
            self.ledger[entry.run_id, entry.topic, entry.partition] = entry

    def entries(self, run: str, topic: str) -> list[PublishedPartition]:
        return [entry for (r, t, _), entry in sorted(self.ledger.items()) if (r, t) == (run, topic)]


def events(
    spark: SparkSession,
    topic: str,
    run: str,
    rows: Iterable[tuple[str, str, int]],
    region: str = "north",
) -> DataFrame:
    """Records of events: subject, id and ordinal; the value is the id as JSON."""
    ddl = (
        "topic string, key string, headers map<string,string>, value string, "
        "timestamp timestamp, ordinal int"
    )
    whole = [
        (
            topic,
            subject,
            {
                "ce_id": name,
                "ce_type": "Placed",
                "ce_subject": subject,
                "ce_migregion": region,
                "ce_migrunid": run,
            },
            f'"{name}"',
            MOMENT,
            ordinal,
        )
        for subject, name, ordinal in rows
    ]
    return spark.createDataFrame(whole, ddl)


def states(
    spark: SparkSession,
    topic: str,
    run: str,
    rows: Mapping[str, str | None],
    region: str = "north",
) -> DataFrame:
    """Records of states by their keys; null for a tombstone."""
    ddl = "topic string, key string, headers map<string,string>, value string, timestamp timestamp"
    whole = [
        (topic, key, {"ce_id": key, "ce_migregion": region, "ce_migrunid": run}, value, MOMENT)
        for key, value in rows.items()
    ]
    return spark.createDataFrame(whole, ddl)
