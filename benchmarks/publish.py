"""Publishing to Kafka beside the broker's own measure of producing: ratios within one run.

    python benchmarks/publish.py [--records N] [--size BYTES ...] [--repeat R]

A broker is started, and each piece of work has a new topic of one partition. In turn and several
times over: `ProducerPerformance`, a tool of the broker, transactional, with the settings and the
kind of texts that Cutline has; what a Spark task of Cutline sends of a table, in transactions that
hold its progress, with one header and with twenty more; and the whole publication of that table,
claimed, sent, read back and compared. Bytes are those of key, headers and value together. The first
round is not counted. Prints Markdown; nothing is asserted.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.control import PublishedPartition
from cutline.kafka import ClientSettings
from cutline.lake.lake import Lake
from cutline.project.spark import SparkSection
from cutline.spark.session import session
from cutline.topics.kafka.admin import APPENDED, COMPACTED
from cutline.topics.kafka.pace import Throttle
from cutline.topics.kafka.rows import outgoing
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.slots import Publisher, slots_of
from cutline.topics.kafka.tasks import sent
from cutline.topics.kafka.topics import KafkaTopics

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from support.servers.java import java
from support.servers.kafka import KafkaBroker, start_kafka
from support.servers.maven import jars

BROKERS_OWN = "ProducerPerformance, transactional"
PLAIN, EVENTS, WHOLE = "sent, 1 header", "sent, 21 headers", "whole publication, 21 headers"
HEADERS = 20
_HEADER = 40
_RATE = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec", re.MULTILINE)
_LIKE_CUTLINE = (
    "acks=all",
    "enable.idempotence=true",
    "compression.type=zstd",
    "batch.size=262144",
    "linger.ms=20",
)
_NUMBERS = itertools.count(1)


@dataclass
class Bench:
    """A broker, a folder and a session to measure with."""

    broker: KafkaBroker
    folder: Path
    spark: SparkSession
    rates: dict[str, list[float]] = field(default_factory=dict)

    def publisher(self) -> Publisher:
        """A publisher of topics that nobody has used yet."""
        prefix = f"bench-{next(_NUMBERS)}"
        self.broker.create_topic(f"{prefix}.progress", 1, COMPACTED)
        settings = ClientSettings({"bootstrap.servers": self.broker.bootstrap})
        return Publisher("shop", "all", prefix, 1, f"{prefix}.progress", 1, settings)

    def topic(self, publisher: Publisher) -> str:
        return self.broker.create_topic(f"{publisher.run_id}.history", 1, APPENDED)

    def note(self, name: str, records_per_second: float) -> None:
        self.rates.setdefault(name, []).append(records_per_second)


def text(size: int) -> str:
    """JSON of so many bytes: words and numbers, as payloads have them."""
    words = " ".join(f"item-{n * 7919 % 10007} costs {n * 31 % 997}.50" for n in range(size))
    return f'{{"text":"{words[: size - 11]}"}}'


def table(bench: Bench, records: int, size: int, headers: int) -> DataFrame:
    """A table of records whose key, headers and value have about `size` bytes together."""
    value = text(max(20, size - 10 - headers * _HEADER))
    pairs = [
        part
        for n in range(headers)
        for part in (F.lit(f"ce_attribute{n:02d}"), F.lit(f"value-{n:018d}"))
    ]
    number = F.lpad(F.col("id").cast("string"), 10, "0")
    place = str(bench.folder / f"{size}-{headers}")
    bench.spark.range(0, records, 1, 1).select(
        number.alias("key"),
        F.create_map(*pairs).cast("map<string,string>").alias("headers"),
        F.concat(
            F.substr(F.lit(value), F.lit(1), F.lit(len(value) - 12)), number, F.lit('"}')
        ).alias("value"),
        F.timestamp_seconds(F.lit(1_790_000_000)).alias("timestamp"),
        F.col("id").cast("int").alias("ordinal"),
    ).write.mode("overwrite").parquet(place)
    return bench.spark.read.parquet(place)


def brokers_own(bench: Bench, records: int, size: int) -> float:
    """Records a second, as the broker's tool tells."""
    payloads = bench.folder / f"payloads-{size}"
    if not payloads.exists():
        stem = text(size)[:-14]
        lines = (stem + f'{n:012d}"}}' for n in range(10_000))
        payloads.write_text("\n".join(lines) + "\n")
    topic = bench.topic(bench.publisher())
    done = subprocess.run(
        [
            *(java(), "-Xmx512m", "-cp", f"{jars('kafka')}/*"),
            "org.apache.kafka.tools.ProducerPerformance",
            *("--topic", topic, "--num-records", str(records), "--throughput", "-1"),
            *("--payload-file", payloads, "--transactional-id", topic),
            *("--transaction-duration-ms", "5000", "--producer-props"),
            f"bootstrap.servers={bench.broker.bootstrap}",
            *_LIKE_CUTLINE,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    whole = [float(rate) for number, rate in _RATE.findall(done.stdout) if int(number) == records]
    return whole[-1]


def by_cutline(bench: Bench, rows: DataFrame, records: int) -> float:
    """Records a second that a task takes from a table and sends in transactions."""
    publisher = bench.publisher()
    topic = bench.topic(publisher)
    named = rows.withColumn("topic", F.lit(topic))
    slots = slots_of([topic], 1)
    ready = str(bench.folder / "outgoing")
    outgoing(named, publisher.run_id, [topic], ("ordinal",), 1).write.mode("overwrite").parquet(
        ready
    )
    prepared = bench.spark.read.parquet(ready).coalesce(1)
    began = time.perf_counter()
    [row] = sent(prepared, publisher, slots, Throttle()).collect()
    seconds = time.perf_counter() - began
    assert (row["sent"], row["failure"]) == (records, None)
    return records / seconds


def whole(bench: Bench, rows: DataFrame, records: int) -> float:
    """Records a second of a publication until it was read back and compared."""
    publisher = bench.publisher()
    topic = bench.topic(publisher)
    ledger: list[PublishedPartition] = []
    topics = KafkaTopics(
        publisher,
        KafkaSettings(1, 1),
        Lake(str(bench.folder / publisher.run_id)),
        ledger.extend,
    )
    named = rows.withColumn("topic", F.lit(topic))
    began = time.perf_counter()
    assert topics.append_all([topic], publisher.run_id, named, ("ordinal",)) == {topic: records}
    return records / (time.perf_counter() - began)


def measured(bench: Bench, records: int, size: int, repeat: int) -> str:
    """A Markdown table for one size of records."""
    plain = table(bench, records, size, 0)
    events = table(bench, records, size, HEADERS) if size > HEADERS * _HEADER else None
    bench.rates.clear()
    for repetition in range(repeat + 1):
        bench.note(BROKERS_OWN, brokers_own(bench, records, size))
        bench.note(PLAIN, by_cutline(bench, plain, records))
        if events is not None:
            bench.note(EVENTS, by_cutline(bench, events, records))
            bench.note(WHOLE, whole(bench, events, records))
        if repetition == 0:
            bench.rates.clear()
    lines = [
        f"| {records:,} records of {size:,} bytes | records/s | MB/s | of the broker's own |",
        "|---|---:|---:|---:|",
    ]
    for name, rates in bench.rates.items():
        rate = statistics.median(rates)
        ratios = [a / b for a, b in zip(rates, bench.rates[BROKERS_OWN], strict=True)]
        shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        lines.append(f"| {name} | {rate:,.0f} | {rate * size / 1e6:.1f} | {shown} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--size", type=int, nargs="+", default=[300, 1_200])
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    spark = session(SparkSection(master="local[2]", shuffle_partitions=2))
    broker = start_kafka(memory="1g", java_options=())
    try:
        with tempfile.TemporaryDirectory(prefix="publish-") as folder:
            bench = Bench(broker, Path(folder), spark)
            for size in given.size:
                print(measured(bench, given.records, size, given.repeat), flush=True)
    finally:
        broker.folder.close()


if __name__ == "__main__":
    main()
