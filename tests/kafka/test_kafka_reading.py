"""Reading topics of a real broker: all that is committed, once, and nobody's progress touched."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession

from support.servers.kafka import KafkaBroker, Record
from support.topics_read import frozen, read, transaction, values

pytestmark = pytest.mark.kafka


def test_records_come_as_they_are(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("reading-as-they-are", 2)
    kafka_broker.produce(
        topic,
        [
            Record(b"1", b'{"a": "\\u00e9"}', (("h", b"x"), ("empty", None)), 0),
            Record(b"1", None, (), 0),
            Record(None, 'tab\t"quoted" \\ é'.encode(), (), 1),
        ],
    )
    assert read(spark, kafka_broker, frozen(kafka_broker, topic), tmp_path) == [
        {
            "topic": topic,
            "partition": 0,
            "offset": 0,
            "headers": ["h", "x", "empty", None],
            "key": "1",
            "payload": '{"a": "\\u00e9"}',
        },
        {"topic": topic, "partition": 0, "offset": 1, "key": "1", "payload": None},
        {
            "topic": topic,
            "partition": 1,
            "offset": 0,
            "key": None,
            "payload": 'tab\t"quoted" \\ é',
        },
    ]


def test_a_large_partition_is_read_in_parts_without_a_seam(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("reading-in-parts")
    kafka_broker.produce(topic, [Record(None, b"%d" % i) for i in range(10)])
    records = read(spark, kafka_broker, frozen(kafka_broker, topic), tmp_path, offsets=3)
    assert values(records) == [str(i) for i in range(10)]


def test_what_is_not_committed_is_not_read(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    """An aborted transaction that lies across parts, markers at ends, and one that is still open."""
    topic = kafka_broker.create_topic("reading-committed")
    with transaction(kafka_broker, "reading-1", commit=True) as producer:
        for i in range(3):
            producer.produce(topic, b"committed %d" % i)
    with transaction(kafka_broker, "reading-2", commit=False) as producer:
        for _ in range(5):
            producer.produce(topic, b"aborted")
    with transaction(kafka_broker, "reading-1", commit=True) as producer:
        producer.produce(topic, b"last")
    with transaction(kafka_broker, "reading-2", commit=False) as producer:
        producer.produce(topic, b"open")
        producer.flush(20)
        topics = frozen(kafka_broker, topic)
        # Three records and a marker, five and a marker, one and a marker: the stable end.
        assert topics.topics[topic].partitions == {0: (0, 12)}
        records = read(spark, kafka_broker, topics, tmp_path, offsets=2)
    assert values(records) == ["committed 0", "committed 1", "committed 2", "last"]


def test_what_came_later_is_not_read(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("reading-frozen")
    kafka_broker.produce(topic, [Record(None, b"before")])
    topics = frozen(kafka_broker, topic)
    kafka_broker.produce(topic, [Record(None, b"after")] * 5)
    assert values(read(spark, kafka_broker, topics, tmp_path)) == ["before"]


def test_gaps_of_compaction_are_passed_over(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    compacted = {
        "cleanup.policy": "compact",
        "segment.ms": "50",
        "min.cleanable.dirty.ratio": "0.0",
        "min.compaction.lag.ms": "0",
    }
    topic = kafka_broker.create_topic("reading-compacted", 1, compacted)
    for i in range(4):
        kafka_broker.produce(topic, [Record(b"k", b"%d" % i), Record(b"other %d" % i, b"x")])
        time.sleep(0.1)  # so that each pair has a segment of its own
    topics = frozen(kafka_broker, topic)
    assert topics.topics[topic].partitions == {0: (0, 8)}
    until = time.monotonic() + 30
    while len(kafka_broker.read(topic)) > 5 and time.monotonic() < until:
        kafka_broker.produce(topic, [Record(b"end", b"x")])
        time.sleep(0.5)
    records = read(spark, kafka_broker, topics, tmp_path, offsets=2)
    newest = [r["payload"] for r in records if r["key"] == "k"]
    assert newest == ["3"]
    assert [r["key"] for r in records if r["key"] != "k"] == [f"other {i}" for i in range(4)]


def test_a_topic_without_records_has_none(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("reading-nothing", 3)
    assert read(spark, kafka_broker, frozen(kafka_broker, topic), tmp_path) == []


def test_no_group_is_joined_and_no_progress_is_touched(
    spark: SparkSession, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic("reading-beside-a-group")
    kafka_broker.produce(topic, [Record(None, b"%d" % i) for i in range(6)])
    live = Consumer(
        {
            "bootstrap.servers": kafka_broker.bootstrap,
            "group.id": "live-orders",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    try:
        live.subscribe([topic])
        first = next(m for _ in range(60) if (m := live.poll(1)) is not None)
        live.commit(first, asynchronous=False)
        groups = _groups(kafka_broker)
        member = live.memberid()
        assert len(read(spark, kafka_broker, frozen(kafka_broker, topic), tmp_path, offsets=2)) == 6
        assert _groups(kafka_broker) == groups
        (committed,) = live.committed([TopicPartition(topic, 0)], timeout=10)
        assert committed.offset == 1
        assert live.memberid() == member
        rest = [m.value() for _ in range(60) if (m := live.poll(0.2)) is not None]
        assert rest == [b"%d" % i for i in range(1, 6)]
    finally:
        live.close()


def _groups(broker: KafkaBroker) -> set[str]:
    admin = broker.admin()
    listed = admin.list_consumer_groups(request_timeout=10).result()
    assert not listed.errors
    return {group.group_id for group in listed.valid}
