"""Consumer groups in tests: where they stand, moved and asked by Kafka's own client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    TopicPartition,
)

import cutline
from support.servers.kafka import KafkaBroker


def project_on(broker: KafkaBroker, folder: Path) -> cutline.Project:
    """A project whose topics are on the broker."""
    document = {
        "version": 1,
        "name": "shop",
        "topics": {
            "kind": "kafka",
            "prefix": "shop",
            "partitions": 2,
            "kafka": {"bootstrap": broker.bootstrap},
        },
        "sources": {},
        "regions": {"north": {}},
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder)


def commit(broker: KafkaBroker, group: str, topic: str, offsets: dict[int, int]) -> None:
    places = [TopicPartition(topic, number, at) for number, at in offsets.items()]
    # The client answers as long as somebody holds it.
    admin = broker.admin()
    altered = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, places)])
    altered[group].result(30)


def progress(broker: KafkaBroker, group: str, topic: str) -> dict[int, int]:
    request = [ConsumerGroupTopicPartitions(group)]
    admin = broker.admin()
    listed = admin.list_consumer_group_offsets(request)[group].result(30)
    return {p.partition: p.offset for p in listed.topic_partitions if p.topic == topic}


@contextmanager
def member(broker: KafkaBroker, group: str, topic: str) -> Iterator[None]:
    """A member of the group that reads and commits nothing."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    until = time.monotonic() + 60
    while not consumer.assignment():
        assert time.monotonic() < until
        consumer.poll(0.2)
    try:
        yield
    finally:
        consumer.close()


@contextmanager
def joining(broker: KafkaBroker, group: str, topic: str) -> Iterator[None]:
    """Somebody who asks to be let into a group that has a member, which knows of it."""
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group})
    consumer.subscribe([topic])
    until = time.monotonic() + 60
    admin = broker.admin()
    while True:
        consumer.poll(0.2)
        described = admin.describe_consumer_groups([group])[group].result(30)
        if described.state == ConsumerGroupState.PREPARING_REBALANCING:
            break
        assert time.monotonic() < until
    try:
        yield
    finally:
        consumer.close()
