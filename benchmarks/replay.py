"""Replaying beside the broker's own tools, and evolving Avro on read beside decoding it.

    python benchmarks/replay.py [--records N] [--repeat R]

A broker is started, and a topic of two partitions is filled with CloudEvents of about 300 bytes and
eight headers. In turn and several times over: `cutline replay` of all of it to a new topic of as
many partitions, read, evolved by an upcaster, kept, sent in transactions and read back; and the
broker's own `ConsumerPerformance` of that topic and `ProducerPerformance`, transactional, of as
many records of their size, whose times are added. Then an archive of four Avro files: read by a
newer schema with aliases, defaults and promotions into Parquet as a replay reads it; and the same
read by the schemas in the files. The first round is not counted. Prints Markdown; nothing is
asserted but the counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import yaml
from timed import Timed, in_turn

import cutline
from cutline.kafka.written import RecordFormat, write_records
from cutline.project.spark import SparkSection
from cutline.replay.archive import ArchiveReading
from cutline.replay.archive_files import freeze_archive
from cutline.replay.raw import RAW, RAW_DDL, RawEncoder
from cutline.spark.session import session

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.servers.java import java
from support.servers.kafka import KafkaBroker, Record, start_kafka
from support.servers.maven import jars

TOPIC, PARTITIONS = "orders", 2
REPLAYED, TOOLS = "cutline replay", "ConsumerPerformance and ProducerPerformance"
EVOLVED, DECODED = "evolved on read", "decoded"
_NUMBERS = itertools.count(1)
_PRODUCED = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec", re.MULTILINE)
_SETTINGS = ("acks=all", "enable.idempotence=true", "compression.type=zstd", "linger.ms=20")

WRITER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "no", "type": "int"},
        {"name": "customer", "type": "string"},
        {"name": "amount", "type": "float"},
        {"name": "fax", "type": ["null", "string"], "default": None},
        {"name": "items", "type": {"type": "array", "items": "string"}},
    ],
}
READER = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "no", "type": "long"},
        {"name": "buyer", "type": "string", "aliases": ["customer"]},
        {"name": "amount", "type": "double"},
        {"name": "items", "type": {"type": "array", "items": "string"}},
        {"name": "currency", "type": "string", "default": "EUR"},
    ],
}


def value(number: int) -> bytes:
    """A payload of the older version."""
    items = [f"item-{number * 7919 % 10007 + n}" for n in range(6)]
    return json.dumps({"no": number, "customer": f"c-{number % 997}", "items": items}).encode()


def fill(broker: KafkaBroker, records: int) -> int:
    """Fill the topic; the bytes of a record."""
    broker.create_topic(TOPIC, PARTITIONS)

    def event(number: int) -> Record:
        headers = {
            "ce_specversion": "1.0",
            "ce_id": f"id-{number:010d}",
            "ce_source": "urn:shop",
            "ce_type": "OrderPlaced",
            "ce_subject": f"o-{number % 5003}",
            "ce_time": "2024-11-01T06:00:00Z",
            "ce_dataschema": "urn:shop:schema:OrderPlaced:1",
            "content-type": "application/json",
        }
        pairs = tuple((name, text.encode()) for name, text in headers.items())
        return Record(headers["ce_subject"].encode(), value(number), pairs)

    for start in range(0, records, 20_000):
        broker.produce(TOPIC, map(event, range(start, min(records, start + 20_000))))
    key, content, headers, _ = event(records)
    return len(key or b"") + len(content or b"") + sum(len(n) + len(t or b"") for n, t in headers)


def project(broker: KafkaBroker, folder: Path) -> cutline.Project:
    """A project that may replay the topic."""
    again = {f"again.{n}": {"owner": "bench"} for n in range(1, 100)}
    step = {"rename": {"customer": "buyer"}, "default": {"currency": "EUR"}}
    document: dict[str, Any] = {
        "version": 1,
        "name": "shop",
        "topics": {
            "kind": "kafka",
            "kafka": {"bootstrap": broker.bootstrap},
            "prefix": "bench",
            "partitions": PARTITIONS,
            "replication": 1,
        },
        "sources": {},
        "regions": {"north": {}},
        "replays": {
            "orders": {
                "source": {"topics": [TOPIC]},
                "upcasters": {"OrderPlaced": {1: step}},
                "destinations": again,
            }
        },
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder)


def replayed(shop: cutline.Project, records: int) -> float:
    """Records a second, until they were read back."""
    began = time.perf_counter()
    end = shop.replay("orders", to=f"again.{next(_NUMBERS)}")
    assert (end.replayed, end.exceptions) == (records, 0)
    return records / (time.perf_counter() - began)


def by_tools(broker: KafkaBroker, folder: Path, records: int, size: int) -> float:
    """Records a second, by what the broker's tools tell of consuming and of producing."""

    def tool(name: str, *arguments: object) -> str:
        command = [
            java(),
            "-Xmx512m",
            "-cp",
            f"{jars('kafka')}/*",
            f"org.apache.kafka.tools.{name}",
        ]
        done = subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        return done.stdout

    consumer_output = tool(
        "ConsumerPerformance",
        *("--bootstrap-server", broker.bootstrap, "--topic", TOPIC),
        *("--num-records", records, "--group", f"bench-{next(_NUMBERS)}"),
    )
    cells = consumer_output.strip().splitlines()[-1].split(",")
    # The last cell counts from when the group has its partitions.
    consumed = float(cells[-1])
    payloads = folder / "payloads"
    payloads.write_text("\n".join(value(n).decode().ljust(size) for n in range(10_000)))
    topic = broker.create_topic(f"tools-{next(_NUMBERS)}", PARTITIONS)
    producer_output = tool(
        "ProducerPerformance",
        *("--topic", topic, "--num-records", records, "--throughput", -1),
        *("--payload-file", payloads, "--transactional-id", topic),
        *("--transaction-duration-ms", 5000, "--producer-props"),
        *(f"bootstrap.servers={broker.bootstrap}", *_SETTINGS),
    )
    produced = [
        float(rate) for number, rate in _PRODUCED.findall(producer_output) if int(number) == records
    ]
    return 1 / (1 / consumed + 1 / produced[-1])


def of_topics(folder: Path, records: int, repeat: int) -> str:
    """A Markdown table of replays of a topic."""
    broker = start_kafka(memory="1g", java_options=())
    try:
        size = fill(broker, records)
        shop = project(broker, folder)
        rates: dict[str, list[float]] = {REPLAYED: [], TOOLS: []}
        for _ in range(repeat + 1):
            rates[REPLAYED].append(replayed(shop, records))
            rates[TOOLS].append(by_tools(broker, folder, records, size))
    finally:
        broker.folder.close()
    ratios = [a / b for a, b in zip(*rates.values(), strict=True)][1:]
    lines = [
        f"| {records:,} records of {size:,} bytes | records/s | of the tools' |",
        "|---|---:|---:|",
    ]
    shown = {REPLAYED: spread(ratios), TOOLS: "1.00"}
    lines += [f"| {n} | {statistics.median(r[1:]):,.0f} | {shown[n]} |" for n, r in rates.items()]
    return "\n".join(lines)


def of_archives(folder: Path, records: int, repeat: int) -> str:
    """A Markdown table of reading an archive."""
    spark = session(SparkSection(master="local[2]", shuffle_partitions=2))
    archive = folder / "archive"
    archive.mkdir()
    schema = fastavro.parse_schema(WRITER)
    for number in range(4):
        rows = (
            {"amount": 1.5, "fax": None, **json.loads(value(n))}
            for n in range(number * records // 4, (number + 1) * records // 4)
        )
        with (archive / f"{number}.avro").open("wb") as file:
            fastavro.writer(file, schema, rows, codec="deflate")
    frozen = freeze_archive(str(archive), "avro", "bench")

    def reading(reader: str | None) -> Callable[[], None]:
        def work() -> None:
            parts = ArchiveReading(frozen, "documents", "bench", reader)
            encoder = RawEncoder(None, {}, "bench")
            record_format = RecordFormat(RAW, RAW_DDL, encoder)
            _, counts = write_records(spark, parts, record_format, str(folder / "raw"))
            assert sum(counts.values()) == records // 4 * 4

        return work

    pieces = {EVOLVED: Timed(reading(json.dumps(READER))), DECODED: Timed(reading(None))}
    in_turn(pieces.values(), repeat)
    base = pieces[DECODED].seconds
    lines = [
        f"| {records:,} rows of 4 Avro files into Parquet | s, median | times the decode |",
        "|---|---:|---:|",
    ]
    for name, piece in pieces.items():
        ratios = [a / b for a, b in zip(piece.seconds, base, strict=True)]
        lines.append(f"| {name} | {statistics.median(piece.seconds):.1f} | {spread(ratios)} |")
    return "\n".join(lines)


def spread(ratios: list[float]) -> str:
    """The median of ratios, with the least and the most of them."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--records", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    session(SparkSection(master="local[2]", shuffle_partitions=2))
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        print(of_archives(Path(folder), given.records, given.repeat), flush=True)
        print(flush=True)
        print(of_topics(Path(folder), given.records, given.repeat), flush=True)


if __name__ == "__main__":
    main()
