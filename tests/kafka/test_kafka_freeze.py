"""Where a reading begins and ends: what is refused, and what is noticed when it is no longer so."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import NewPartitions
from pydantic import SecretStr

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.kafka import ClientSettings, client_settings, cluster
from cutline.kafka.base_inputs import BaseInput
from cutline.kafka.freeze import freeze_topics, refuse_moved
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.project.kafka import KafkaConnection, KafkaSecurity
from cutline.secrets import keep_secret
from support.ports import free_port
from support.servers.kafka import KafkaBroker, Record
from support.servers.kafka_settings import PASSWORDS
from support.topics_read import KEY, frozen, settings_of

pytestmark = pytest.mark.kafka

UTC = dt.UTC


def removed_before(broker: KafkaBroker, topic: str, offset: int) -> None:
    """Removes records as retention does, only at once."""
    admin = broker.admin()
    place = TopicPartition(topic, 0, offset)
    admin.delete_records([place])[place].result(20)


def ten_records(broker: KafkaBroker, name: str) -> str:
    topic = broker.create_topic(name)
    broker.produce(topic, [Record(None, b"%d" % i) for i in range(10)])
    return topic


def test_a_position_is_text_that_comes_back() -> None:
    topics = FrozenTopics("c", {"b": FrozenTopic("2", {10: Offsets(0, 7), 9: Offsets(3, 3)})})
    text = topics.text()
    assert text == (
        'kafka:{"cluster":"c","topics":{"b":{"id":"2","partitions":{"10":[0,7],"9":[3,3]}}}}'
    )
    assert FrozenTopics.read(text) == topics


def test_an_unchanged_topic_has_the_same_position(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-twice")
    first = frozen(kafka_broker, topic).text()
    assert frozen(kafka_broker, topic).text() == first
    kafka_broker.produce(topic, [Record(None, b"new")])
    assert frozen(kafka_broker, topic).text() != first


def test_offsets_are_taken_as_they_are(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-offsets")
    assert frozen(kafka_broker, topic, begin={0: 4}).topics[topic].partitions == {0: (4, 10)}


def test_topics_go_on_from_where_they_began_before(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-goes-on")
    settings = settings_of(kafka_broker)
    before = freeze_topics(settings, [[topic]], {0: 2}, KEY)
    kafka_broker.produce(topic, [Record(None, b"new")])
    removed_before(kafka_broker, topic, 10)
    # A beginning that was read once may be gone, also of a source of kind log.
    base = BaseInput(before.text(), before.text())
    now = freeze_topics(settings, [[topic]], "beginning", KEY, whole=True, base=base)
    assert now.topics[topic].partitions == {0: (2, 11)}
    assert base.left_of(now) == now.since(before)
    assert now.continues(before)
    assert now.since(before).topics[topic].partitions == {0: (10, 11)}
    assert not now.since(before).is_empty
    assert now.since(now).is_empty
    assert now.until({(topic, 0): 7}).topics[topic].partitions == {0: (2, 7)}
    refuse_moved(settings, now.since(before), KEY)
    with pytest.raises(RunFailed, match="retention"):
        refuse_moved(settings, now, KEY)
    removed_before(kafka_broker, topic, 11)
    with pytest.raises(ConfigurationError, match="the offsets 10 to 10 came since") as lost:
        freeze_topics(settings, [[topic]], "beginning", KEY, base=base)
    assert "`cutline run` begins anew" in str(lost.value.next_step)


def test_topics_that_are_others_do_not_go_on(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-made-anew")
    settings = settings_of(kafka_broker)
    before = freeze_topics(settings, [[topic]], {0: 2}, KEY)
    base = BaseInput(before.text(), before.text())
    admin = kafka_broker.admin()
    admin.create_partitions([NewPartitions(topic, 2)])[topic].result(20)
    now = freeze_topics(settings, [[topic]], "beginning", KEY, base=base)
    assert now.topics[topic].partitions == {0: (0, 10), 1: (0, 0)}
    assert not now.continues(before)
    kafka_broker.delete_topic(topic)
    kafka_broker.create_topic(topic)
    now = freeze_topics(settings, [[topic]], "beginning", KEY, base=base)
    assert now.topics[topic].partitions == {0: (0, 0)}
    assert not now.continues(before)


def test_a_moment_is_a_safe_bound(kafka_broker: KafkaBroker) -> None:
    """Also where the times of records go back: no record of the moment or later is before it."""
    topic = kafka_broker.create_topic("freeze-moment", 2, {"retention.ms": "-1"})
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap})
    hours = [1, 3, 2, 4]
    for hour in hours:
        at = dt.datetime(2026, 11, 1, hour, tzinfo=UTC)
        producer.produce(topic, b"x", partition=0, timestamp=int(at.timestamp() * 1000))
    producer.flush(20)
    at = dt.datetime(2026, 11, 1, 2, tzinfo=UTC)
    # The second record is of 3 o'clock; the other partition has none, and begins at its end.
    assert frozen(kafka_broker, topic, begin=at).topics[topic].partitions == {0: (1, 4), 1: (0, 0)}


@pytest.mark.parametrize("microsecond", [998_000, 999_000, 0])
def test_a_moment_before_1970_is_before_all_records(
    kafka_broker: KafkaBroker, microsecond: int
) -> None:
    """Two and one millisecond before it are numbers by which Kafka is asked for ends."""
    topic = ten_records(kafka_broker, f"freeze-before-1970-{microsecond}")
    at = dt.datetime(1969, 12, 31, 23, 59, 59, microsecond, tzinfo=UTC)
    assert frozen(kafka_broker, topic, begin=at).topics[topic].partitions[0] == (0, 10)


@pytest.mark.parametrize(
    ("begin", "why"),
    [
        ({0: 2}, "offsets 2 to 4 were to be read, and the topic's retention has removed them"),
        ({0: 11}, "partition 0 ends at offset 10, before 11"),
        ({1: 5}, "the topic has partition 0, and the offsets name partitions 1"),
        ({0: 5, 1: 5}, "the topic has no partition 1"),
        (dt.datetime(2020, 1, 1, tzinfo=UTC), "retention may have removed some"),
    ],
    ids=["removed", "ahead", "unnamed", "unknown", "moment"],
)
def test_a_beginning_that_is_not_there_is_refused(
    kafka_broker: KafkaBroker, begin: object, why: str
) -> None:
    topic = "freeze-refused"
    if topic not in kafka_broker.topics():
        ten_records(kafka_broker, topic)
        removed_before(kafka_broker, topic, 5)
    with pytest.raises(ConfigurationError, match=why) as refusal:
        frozen(kafka_broker, topic, begin=begin)
    assert topic in str(refusal.value) or "the topic has" in why
    assert KEY in refusal.value.what


def test_a_log_needs_its_beginning(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-whole")
    settings = settings_of(kafka_broker)
    freeze_topics(settings, [[topic]], "beginning", KEY, whole=True)
    removed_before(kafka_broker, topic, 3)
    with pytest.raises(ConfigurationError, match="partition 0 begins at offset 3: what came"):
        freeze_topics(settings, [[topic]], "beginning", KEY, whole=True)
    # Somebody said that a whole snapshot begins there.
    freeze_topics(settings, [[topic]], {0: 3}, KEY, whole=True)


def test_a_topic_that_never_was_is_named(kafka_broker: KafkaBroker) -> None:
    with pytest.raises(ConfigurationError, match="topic freeze-nowhere is not there"):
        frozen(kafka_broker, "freeze-nowhere")


def recreate(broker: KafkaBroker, topic: str) -> None:
    broker.delete_topic(topic)
    until = time.monotonic() + 20
    while topic in broker.topics() and time.monotonic() < until:
        time.sleep(0.1)
    ten_records(broker, topic)


def add_partition(broker: KafkaBroker, topic: str) -> None:
    admin = broker.admin()
    admin.create_partitions([NewPartitions(topic, 2)])[topic].result(20)
    until = time.monotonic() + 20
    while broker.topics()[topic] < 2 and time.monotonic() < until:
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (KafkaBroker.delete_topic, "topic {} is not there in Kafka at .* any more"),
        (recreate, "topic {} was deleted, and made anew under its name"),
        (add_partition, "topic {} has 2 partitions, and had 1"),
        (lambda b, t: removed_before(b, t, 4), "topic {}, partition 0: the offsets 0 to 3 were to"),
    ],
    ids=["deleted", "recreated", "partitions", "retention"],
)
def test_what_moved_since_is_named(
    kafka_broker: KafkaBroker,
    request: pytest.FixtureRequest,
    move: Callable[[KafkaBroker, str], None],
    why: str,
) -> None:
    topic = ten_records(kafka_broker, f"moves-{request.node.callspec.id}")
    topics = frozen(kafka_broker, topic)
    refuse_moved(settings_of(kafka_broker), topics, KEY)
    move(kafka_broker, topic)
    with pytest.raises(RunFailed, match=why.format(topic)):
        refuse_moved(settings_of(kafka_broker), topics, KEY)


def test_retention_before_the_beginning_moves_nothing(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "moves-not")
    topics = frozen(kafka_broker, topic, begin={0: 4})
    removed_before(kafka_broker, topic, 4)
    refuse_moved(settings_of(kafka_broker), topics, KEY)


def test_a_broker_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_SECONDS", 2.0)
    address = f"127.0.0.1:{free_port()}"
    settings = ClientSettings({"bootstrap.servers": address})
    with pytest.raises(RunFailed, match=f"Kafka at {address} does not answer"):
        freeze_topics(settings, [["orders"]], "beginning", KEY)


def sasl(broker: KafkaBroker, user: str, password: str) -> ClientSettings:
    """The settings of a user, whose password is in the environment."""
    os.environ["KAFKA_PASSWORD_OF_TEST"] = password
    keep_secret(password, "${KAFKA_PASSWORD_OF_TEST}")
    security = KafkaSecurity(
        protocol="SASL_PLAINTEXT",
        mechanism="PLAIN",
        username=user,
        password=SecretStr(password),
    )
    return client_settings(
        KafkaConnection(bootstrap=broker.sasl_bootstrap, security=security), Path()
    )


def test_wrong_credentials_are_named_and_the_secret_is_not(kafka_broker: KafkaBroker) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigurationError, match="does not accept the credentials") as refusal:
        freeze_topics(sasl(kafka_broker, "cutline", "battery-staple"), [["x"]], "beginning", KEY)
    assert "battery-staple" not in str(refusal.value)
    assert time.monotonic() - began < 20


def test_a_right_that_is_missing_is_named(kafka_broker: KafkaBroker) -> None:
    topic = ten_records(kafka_broker, "freeze-without-a-right")
    settings = sasl(kafka_broker, "reader", PASSWORDS["reader"])
    with pytest.raises(CutlineError, match=f"(grants no right to read )?topic {topic}"):
        freeze_topics(settings, [[topic]], "beginning", KEY)
