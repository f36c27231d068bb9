"""What topics of a real Kafka retain, and what is told where they or their broker are gone."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Producer, TopicPartition
from pyspark.sql import SparkSession

import cutline
from cutline.advice.retained import kafka_spans
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import cluster
from cutline.kafka.cluster import KafkaCluster
from cutline.kafka.failures import read_failure
from support.finished_demo import finished_demo
from support.ports import free_port
from support.published import new_name
from support.servers.kafka import KafkaBroker
from support.topics_read import settings_of

pytestmark = [pytest.mark.kafka]
WEEK, MONTH = ({"retention.ms": str(days * 86_400_000)} for days in (7, 30))
NOW = dt.datetime.now(dt.UTC).replace(microsecond=0)
AGGREGATES = (
    *("customer_order", "fulfilment_line", "shipment_leg", "exception_hold"),
    "reservable_inventory",
)


def topic_of(
    broker: KafkaBroker,
    days_ago: Mapping[int, list[float]],
    config: Mapping[str, str] | None = None,
) -> str:
    """A topic with records of so many days ago, by partition."""
    name = broker.create_topic(new_name("advice"), len(days_ago), config)
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for partition, ages in days_ago.items():
        for age in ages:
            millis = int((NOW - dt.timedelta(days=age)).timestamp() * 1000)
            producer.produce(name, b"{}", partition=partition, timestamp=millis)
    assert producer.flush(20) == 0
    return name


def remove(broker: KafkaBroker, topic: str, partition: int, before: int) -> None:
    """Removes records as retention does, only at once."""
    admin = broker.admin()
    place = TopicPartition(topic, partition, before)
    admin.delete_records([place])[place].result(20)


def days(moment: dt.datetime | None) -> float | None:
    return None if moment is None else (NOW - moment) / dt.timedelta(days=1)


def test_offsets_times_and_settings_are_asked_and_no_record_is_read(
    kafka_broker: KafkaBroker,
) -> None:
    whole = topic_of(kafka_broker, {0: [6, 5], 1: [3], 2: []}, {"retention.ms": "-1"})
    removed = topic_of(kafka_broker, {0: [6, 5, 2], 1: [4]}, WEEK)
    remove(kafka_broker, removed, 0, 2)
    compacted = topic_of(kafka_broker, {0: []}, {"cleanup.policy": "compact"})
    spans = kafka_spans(settings_of(kafka_broker), [whole, removed, compacted], "topics.kafka")
    assert [(s.records, days(s.whole_since), s.kept_for, s.compacted) for s in spans] == [
        (3, 6, None, False),
        (2, 2, dt.timedelta(days=7), False),
        (0, None, None, True),
    ]
    remove(kafka_broker, removed, 1, 1)
    [emptied] = kafka_spans(settings_of(kafka_broker), [removed], "topics.kafka")
    assert (emptied.records, emptied.whole_since) == (1, None)


def test_who_may_not_ask_for_settings_is_told_the_rest(
    kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confluent_kafka import KafkaError

    def refuse(self: KafkaCluster, topics: object) -> None:
        error = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
        raise read_failure(error, "topic", "topics.kafka", kafka_broker.bootstrap)

    topic = topic_of(kafka_broker, {0: [1]}, WEEK)
    monkeypatch.setattr(KafkaCluster, "topic_settings", refuse)
    [span] = kafka_spans(settings_of(kafka_broker), [topic], "topics.kafka")
    assert (span.records, span.kept_for) == (1, None)


def live_on(folder: Path, bootstrap: str, topics: Mapping[str, str]) -> cutline.Project:
    """The project in a folder, whose live topics are these."""
    config = folder / "cutline.yaml"
    content = yaml.safe_load(config.read_text(encoding="utf-8"))
    content["contexts"]["fulfilment"]["live"] = {
        "aggregates": list(topics),
        "kafka": {"bootstrap": bootstrap},
        "records": {name: {"topic": topic} for name, topic in topics.items()},
    }
    config.write_text(yaml.safe_dump(content), encoding="utf-8")
    return cutline.Project.open(folder)


@pytest.fixture(scope="module")
def finished(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_demo(spark, tmp_path_factory.mktemp("advice-kafka") / "retail").project


def replay(project: cutline.Project, horizon: str) -> tuple[Any, cutline.StrategyAdvice]:
    advice = project.advise("fulfilment", region="eu-west", needs=["sequence"], horizon=horizon)
    return advice.recommended, next(s for s in advice.strategies if s.strategy == "raw-replay")


@pytest.mark.spark
def test_retention_decides_whether_a_replay_fits(
    finished: Path, tmp_path: Path, kafka_broker: KafkaBroker
) -> None:
    """Of two weeks one is retained: enough where the last five days matter."""
    topics = {name: topic_of(kafka_broker, {0: [14, 6, 1]}, MONTH) for name in AGGREGATES}
    project = live_on(shutil.copytree(finished, tmp_path / "r"), kafka_broker.bootstrap, topics)
    # As long as another region's events are there too, nobody knows of which the oldest is.
    assert replay(project, "13d")[1].verdict == "open"
    file = tmp_path / "r" / "cutline.yaml"
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    del document["regions"]["us-east"]
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    # The run has read two of 27 live records as no events: 7.4 %.
    recommended, whole = replay(project, "13d")
    assert (recommended, whole.verdict) == ("raw-replay", "fits")
    assert whole.cost.messages == 15
    for topic in topics.values():
        remove(kafka_broker, topic, 0, 1)
    recommended, short = replay(project, "13d")
    assert (recommended, short.verdict) == ("synthetic-events", "does-not-fit")
    [why] = [reason.says for reason in short.reasons]
    since = f"{NOW - dt.timedelta(days=6):%Y-%m-%d}"
    assert why.startswith(f"the live topics: everything since {since} (topic advice-")
    recommended, enough = replay(project, "5d")
    assert (recommended, enough.verdict) == ("raw-replay", "fits")
    warnings = [reason.says for reason in enough.reasons if reason.effect == "warns"]
    assert (
        "the live topics: what is older than 30 days is removed, so that tomorrow less is there"
        in (warnings)
    )


@pytest.mark.spark
def test_a_topic_that_is_gone_is_named(
    finished: Path, tmp_path: Path, kafka_broker: KafkaBroker
) -> None:
    topic = topic_of(kafka_broker, {0: [1]})
    folder = shutil.copytree(finished, tmp_path / "retail")
    project = live_on(folder, kafka_broker.bootstrap, {"customer_order": topic})
    kafka_broker.delete_topic(topic)
    says = f"contexts.fulfilment.live.kafka: topic {topic} is not there in Kafka at"
    with pytest.raises(ConfigurationError, match=says) as refused:
        replay(project, "all")
    assert "Mend its name in cutline.yaml" in refused.value.next_step


@pytest.mark.spark
def test_a_broker_that_is_gone_is_named(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_SECONDS", 1.0)
    folder = shutil.copytree(finished, tmp_path / "retail")
    address = f"127.0.0.1:{free_port()}"
    project = live_on(folder, address, {"customer_order": "orders"})
    with pytest.raises(RunFailed, match=f"Kafka at {address} does not answer") as failed:
        replay(project, "all")
    assert failed.value.exit_code == 3
    assert "run the same command again" in failed.value.next_step
