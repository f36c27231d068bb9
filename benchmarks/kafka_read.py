"""Reading a topic of Kafka beside Spark's own source for it, in the JVM: ratios within one run.

    python benchmarks/kafka_read.py --peer PYTHON --jars FOLDER [--records N] [--repeat R]

A broker of its own is started in a temporary folder, and a topic of four partitions is filled
with change records. In turn and several times over: the read of a source's change topics as a run
does it, by tasks of Python, into Parquet, the positions frozen before; and in a session of another
process Spark's Kafka source, a batch from the earliest to the latest offsets, into Parquet. The
first round is not counted. Prints Markdown; nothing is asserted but that both have all records.

`--peer` is the Python of an environment with `pip install pyspark==4.0.0`; `--jars` a folder with
`spark-sql-kafka-0-10_2.13:4.0.0`, `spark-token-provider-kafka-0-10_2.13:4.0.0`, `kafka-clients` and
`commons-pool2`, such as Maven's `dependency:copy-dependencies` makes it: later versions do not go
together with what is to be had.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession
from timed import Timed, in_turn

from cutline.kafka.freeze import freeze_topics
from cutline.kafka.settings import ClientSettings
from cutline.project.spark import SparkSection
from cutline.sources.kafka import TopicInput, write_lines
from cutline.spark.session import session

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.servers.kafka import Record, start_kafka

TOPIC, PARTITIONS = "erp.public.orders", 4
JARS = (
    "spark-sql-kafka-0-10_*.jar",
    "spark-token-provider-kafka-0-10_*.jar",
    "kafka-clients-*.jar",
    "commons-pool2-*.jar",
)
PEER = """
import sys
from pyspark.sql import SparkSession
bootstrap, topic, jars, folder = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]").config("spark.jars", jars)
    .config("spark.driver.memory", "2g").config("spark.ui.enabled", "false").getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
print("ready", flush=True)
for _ in sys.stdin:
    (
        spark.read.format("kafka").option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", topic).option("startingOffsets", "earliest")
        .option("endingOffsets", "latest").option("kafka.isolation.level", "read_committed").load()
        .selectExpr("partition", "offset", "CAST(key AS string) k", "CAST(value AS string) v")
        .write.mode("overwrite").parquet(folder)
    )
    print(spark.read.parquet(folder).count() if _.strip() == "count" else "read", flush=True)
"""


def changes(records: int) -> Iterator[Record]:
    """Changes of orders as Debezium writes them, without schemas: about 600 bytes each."""
    for number in range(records):
        row = {
            "id": number,
            "order_no": f"SO-{number:09d}",
            "depot": f"D{number % 10}",
            "customer_no": f"C{number * 7919 % 1_000_000}",
            "status": ("NEW", "RELEASED", "CLOSED")[number % 3],
            "total": f"{number % 100_000 / 100:.2f}",
            "ordered_at": 1_760_000_000_000_000 + number * 1_000_000,
        }
        source = {"db": "erp", "schema": "public", "table": "orders", "txId": number // 3}
        source |= {
            "lsn": 10_000 + number,
            "sequence": f'["{number // 3}","{number}"]',
            "ts_ms": number,
        }
        value = {"before": {**row, "status": "NEW"}, "after": row, "source": source, "op": "u"}
        key = json.dumps({"id": number}).encode()
        yield Record(key, json.dumps(value).encode(), (), number % PARTITIONS)


def read(spark: SparkSession, topic_input: TopicInput, folder: str) -> int:
    """The topic in Parquet, as a run reads it; its records."""
    shutil.rmtree(folder, ignore_errors=True)
    _, accounts = write_lines(spark, topic_input, folder)
    return accounts.records


class Peer:
    """A session of another Spark in another process, which reads when it is asked to."""

    def __init__(self, python: str, bootstrap: str, jars: Path, folder: str) -> None:
        paths = [str(path) for pattern in JARS for path in sorted(jars.glob(pattern))]
        assert len(paths) == len(JARS), f"{jars} has not one jar for each of {JARS}"
        command = [python, "-c", PEER, bootstrap, TOPIC, ",".join(paths), folder]
        # Its Spark is that of its own environment.
        env = {n: v for n, v in os.environ.items() if not n.startswith(("SPARK_", "PYSPARK_"))}
        env |= {"PYSPARK_PYTHON": python, "PYTHONPATH": ""}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        self._answer()

    def ask(self, question: str) -> str:
        """Reads the topic; with `count` its records, else `read`."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{question}\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        answer = self.process.stdout.readline().strip()
        assert answer, "the other Spark has ended"
        return answer

    def close(self) -> None:
        """Ends it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def table(ours: Timed, peer: Timed | None, records: int) -> str:
    """The figures in Markdown."""
    lines = ["| | s, median | records/s | speed of Spark's source |", "|---|---:|---:|---|"]
    for name, piece in (("read as a run does", ours), ("Spark's Kafka source", peer)):
        if piece is None:
            continue
        speed = "1.00"
        if piece is ours:
            theirs = ours.seconds if peer is None else peer.seconds
            ratios = [b / a for a, b in zip(ours.seconds, theirs, strict=True)]
            speed = f"**{statistics.median(ratios):.2f}** ({min(ratios):.2f} to {max(ratios):.2f})"
            speed = "not measured" if peer is None else speed
        middle = statistics.median(piece.seconds)
        lines.append(f"| {name} | {middle:.1f} | {records / middle:,.0f} | {speed} |")
    return "\n".join(lines)


def measured(
    spark: SparkSession, bootstrap: str, folder: str, peer: Peer | None, records: int, repeat: int
) -> str:
    """Reads in turn; the table in Markdown."""
    settings = ClientSettings({"bootstrap.servers": bootstrap})
    frozen = freeze_topics(settings, [[TOPIC]], "beginning", "kafka")
    topic_input = TopicInput(settings, frozen, 1, "kafka", 60, with_headers=True)
    counts = [read(spark, topic_input, f"{folder}/ours")]
    pieces = [Timed(lambda: read(spark, topic_input, f"{folder}/ours"))]
    if peer is not None:
        counts.append(int(peer.ask("count")))
        pieces.append(Timed(lambda: peer.ask("read")))
    assert set(counts) == {records}, counts
    in_turn(pieces, repeat)
    return table(pieces[0], pieces[1] if len(pieces) > 1 else None, records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--jars", type=Path, required=True)
    options = parser.parse_args()
    broker = start_kafka(memory="1g")
    try:
        broker.create_topic(TOPIC, PARTITIONS)
        broker.produce(
            TOPIC, changes(options.records), **{"queue.buffering.max.messages": 2_000_000}
        )
        spark = session(SparkSection(master="local[2]"))
        with tempfile.TemporaryDirectory(prefix="cutline-benchmark-") as folder:
            peer = Peer(options.peer, broker.bootstrap, options.jars, f"{folder}/peer")
            print(
                f"\n{options.records:,} records in {PARTITIONS} partitions, Spark {spark.version}\n"
            )
            print(measured(spark, broker.bootstrap, folder, peer, options.records, options.repeat))
            peer.close()
        spark.stop()
    finally:
        broker.folder.close()


if __name__ == "__main__":
    main()
