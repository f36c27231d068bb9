"""A process that publishes numbered events from a cluster, slowly, with speculation on."""

from __future__ import annotations

import sys
from pathlib import Path

from cutline.topics.murmur2 import partition

PARTITIONS = 2
FEW, MANY = 20, 1_500
PER_SECOND = 320
"""Messages of both tasks together: the one with many takes so long that a copy of it starts."""


def numbers() -> dict[int, range]:
    """The numbers of the events of each partition, in their order."""
    return {0: range(FEW), 1: range(FEW, FEW + MANY)}


def main(master: str, bootstrap: str, prefix: str, folder: str) -> None:
    """Publishes, and prints the records by topic and how many tasks were copies of others."""
    from cutline.kafka import ClientSettings
    from cutline.lake.lake import Lake
    from cutline.project.spark import SparkSection
    from cutline.spark.session import session
    from cutline.topics.kafka.pace import Throttle
    from cutline.topics.kafka.settings import KafkaSettings
    from cutline.topics.kafka.topics import KafkaTopics
    from support.clustered import QUICK
    from support.published import events, publisher

    log = Path(folder, "log")
    log.mkdir()
    conf = {
        **QUICK,
        "spark.speculation": "true",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
    }
    spark = session(SparkSection(master=master, shuffle_partitions=2, conf=conf))
    keys = {partition(f"key-{n}", PARTITIONS): f"key-{n}" for n in range(20)}
    rows = [(keys[p], str(n), n) for p, all_numbers in numbers().items() for n in all_numbers]
    topic = f"{prefix}.shop.order.synthetic"
    topics = KafkaTopics(
        publisher(ClientSettings({"bootstrap.servers": bootstrap}), prefix),
        KafkaSettings(PARTITIONS, 1, throttle=Throttle(messages_per_second=PER_SECOND)),
        Lake(str(Path(folder, "lake"))),
        lambda published: None,
    )
    records = events(spark, topic, "run-1", rows)
    print(topics.append_all([topic], "run-1", records, ("ordinal",)))
    spark.stop()
    texts = [path.read_text() for path in log.rglob("*") if path.is_file()]
    print(sum(text.count('"Speculative":true') for text in texts) > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
