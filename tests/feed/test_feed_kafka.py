"""The feed from a real Kafka into a real PostgreSQL, with kills and what readers must not see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.feed.kafka import KafkaTail
from cutline.kafka.freeze import freeze_topics
from cutline.project.kafka import KafkaReading
from cutline.project.live import LiveRecords
from cutline.readmodels import feeding
from cutline.topics.live import LivePlace
from support.ended import Killed
from support.fed import (
    FedDesk,
    candidate_of,
    epoch,
    event,
    historic,
    ordered,
    paid,
    states_of,
    withdrawn,
)
from support.servers.kafka import KafkaBroker, Record
from support.topics_read import settings_of

pytestmark = [pytest.mark.kafka, pytest.mark.postgres, pytest.mark.slow]


def record_of(live: dict[str, Any]) -> Record:
    headers = tuple((name, text.encode()) for name, text in live["headers"].items())
    return Record(live["key"].encode(), json.dumps(live["value"]).encode(), headers)


def place_of(broker: KafkaBroker, topic: str) -> LivePlace:
    reading = KafkaReading.model_validate({"bootstrap": broker.bootstrap, "stalled_seconds": 20})
    records = LiveRecords.model_validate({"topic": topic})
    return LivePlace("order", topic, settings_of(broker), reading, records, "topics.kafka")


def abort(broker: KafkaBroker, topic: str, live: dict[str, Any]) -> None:
    """A transaction with this event that is taken back."""
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": topic})
    producer.init_transactions(20)
    producer.begin_transaction()
    record = record_of(live)
    producer.produce(topic, record.value, record.key, headers=list(record.headers))
    producer.flush(20)
    producer.abort_transaction(20)


def test_rows_are_those_of_everything_whatever_happens(
    spark: SparkSession,
    kafka_broker: KafkaBroker,
    postgres_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic = kafka_broker.create_topic("desk-live", partitions=2)
    history = [historic(ordered(f"h{n}", 1, f"o{n}")) for n in range(20)]
    read_by_run = [paid(f"r{n}", 2, f"o{n}", 1000) for n in range(5)]
    kafka_broker.produce(topic, map(record_of, read_by_run))
    place = place_of(kafka_broker, topic)
    position = freeze_topics(place.settings, [[topic]], "beginning", place.key).text()
    history += map(candidate_of, read_by_run)
    live = [paid(f"p{n}", 3 + n % 7, f"o{n % 25}", n) for n in range(60)]
    live += [ordered(f"n{n}", 2, f"o{20 + n}") for n in range(5)]
    live += [withdrawn(f"w{n}", 20, f"o{n}") for n in range(0, 20, 3)]

    desk = FedDesk(
        spark, tmp_path, history, postgres_url, KafkaTail([place]), **{"live:order": position}
    )
    kafka_broker.produce(topic, map(record_of, live[:30]))
    abort(kafka_broker, topic, paid("taken-back", 9, "o1", 9_999))
    with monkeypatch.context() as patch:

        def killed(*_: object) -> None:
            raise Killed

        before = desk.shown()
        patch.setattr(feeding, "insert", killed)
        with pytest.raises(Killed):
            desk.feed()
        assert desk.shown() == before
    assert desk.feed().records > 0
    kafka_broker.produce(topic, map(record_of, live[20:]))
    late = [epoch(paid("e1", 9, "o1"), 7), epoch(paid("e2", 9, "o1", 50_000), 6)]
    kafka_broker.produce(topic, map(record_of, [*late, event("x", "Paid", 9, "o2")]))
    done = desk.feed()
    assert done.aside == 2
    expected = states_of(spark, [*history, *map(candidate_of, [*live, late[0]])])
    assert desk.shown() == expected
    assert desk.model().verify(desk.version) == ()
    assert {rule for rule, *_ in desk.aside()} == {"older-epoch", "invalid-native-payload"}
    assert desk.feed().records == 0

    kafka_broker.produce(topic, map(record_of, [paid("z", 9, f"o{n}") for n in range(20)]))
    ends = [TopicPartition(topic, number, -1) for number in (0, 1)]
    admin = kafka_broker.admin()
    for future in admin.delete_records(ends).values():
        future.result(20)
    with pytest.raises(RunFailed, match=rf"topic {topic}, partition \d holds nothing before"):
        desk.feed()
    assert desk.shown() == expected
