"""What Kafka refuses, or what is not as it must be, said with the topic's name and the way on."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import NewPartitions

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import ClientSettings
from cutline.topics.kafka import admin as admin_module
from cutline.topics.kafka.admin import APPENDED, COMPACTED, TopicAdmin, TopicPlan
from cutline.topics.kafka.failures import PublishingStopped
from cutline.topics.kafka.live_load import LagLimit, LatencyLimit, refuse_unknown
from cutline.topics.kafka.slots import Slot
from support.ports import free_port
from support.published import bootstrap, new_name, numbered, publisher, send, slots_on
from support.servers.kafka import KafkaBroker
from support.servers.kafka_settings import PASSWORDS

pytestmark = pytest.mark.kafka


@pytest.fixture
def prefix() -> str:
    return new_name("refused")


def as_user(broker: KafkaBroker, user: str, password: str | None = None) -> ClientSettings:
    return ClientSettings(
        {
            "bootstrap.servers": broker.sasl_bootstrap,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": user,
            "sasl.password": password or PASSWORDS[user],
        }
    )


def topic_admin(settings: ClientSettings, prefix: str, *, create: bool = True) -> TopicAdmin:
    return TopicAdmin(publisher(settings, prefix, patience=5), 1, create=create)


def test_topics_are_made_once_and_kept_for_good(kafka_broker: KafkaBroker, prefix: str) -> None:
    plans = [
        TopicPlan(f"{prefix}.history", 3, APPENDED),
        TopicPlan(f"{prefix}.state", 2, COMPACTED),
    ]
    admin = topic_admin(bootstrap(kafka_broker), prefix)
    assert admin.ensure(plans) == [plan.name for plan in plans]
    assert admin.ensure(plans) == []
    partitions = kafka_broker.topics()
    assert [partitions[plan.name] for plan in plans] == [3, 2]


def test_no_broker(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "_FIRST_ANSWER", 2.0)
    nobody = ClientSettings({"bootstrap.servers": f"127.0.0.1:{free_port()}"})
    with pytest.raises(RunFailed) as failed:
        topic_admin(nobody, prefix).existing()
    assert failed.value.what.startswith(f"Kafka at {nobody.bootstrap} does not answer")
    assert "topics.kafka.bootstrap" in failed.value.next_step


def test_a_broker_that_goes_away(prefix: str) -> None:
    nobody = ClientSettings({"bootstrap.servers": f"127.0.0.1:{free_port()}"})
    slice_publisher = publisher(nobody, prefix, commit_seconds=1, patience=2)
    with pytest.raises(PublishingStopped) as stopped:
        send(slice_publisher, Slot(0, f"{prefix}.history", 0), numbered(1))
    assert stopped.value.failure.kind == "again"
    assert f"did not take what was sent to {prefix}.history[0]" in stopped.value.failure.sentence


def test_wrong_credentials(
    kafka_broker: KafkaBroker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_module, "_LOOK", 1.0)
    wrong = as_user(kafka_broker, "cutline", "wrong-horse-7")
    with pytest.raises(ConfigurationError) as refused:
        topic_admin(wrong, prefix).existing()
    assert "does not accept the credentials" in refused.value.what
    assert "wrong-horse-7" not in str(refused.value)
    assert "topics.kafka" in refused.value.next_step


def test_who_may_not_make_a_topic(kafka_broker: KafkaBroker, prefix: str) -> None:
    admin = topic_admin(as_user(kafka_broker, "reader"), prefix)
    with pytest.raises(ConfigurationError) as refused:
        admin.ensure([TopicPlan(f"{prefix}.history", 1, APPENDED)])
    assert "grants no right" in refused.value.what
    assert f"topic {prefix}.history" in refused.value.what
    assert "Create" in refused.value.next_step


def test_who_may_not_write(kafka_broker: KafkaBroker, prefix: str) -> None:
    [slot] = slots_on(kafka_broker, prefix)
    slice_publisher = publisher(
        as_user(kafka_broker, "reader"), prefix, commit_seconds=5, patience=5
    )
    with pytest.raises(PublishingStopped) as stopped:
        send(slice_publisher, slot, numbered(1))
    assert stopped.value.failure.kind == "configuration"
    assert "grants no right to use the transactional id" in stopped.value.failure.sentence
    assert kafka_broker.read(slot.topic) == []


def test_other_partitions(kafka_broker: KafkaBroker, prefix: str) -> None:
    name = kafka_broker.create_topic(f"{prefix}.history", 2, APPENDED)
    plan = TopicPlan(name, 2, APPENDED)
    admin = topic_admin(bootstrap(kafka_broker), prefix)
    assert admin.ensure([plan]) == []
    by_hand = kafka_broker.admin()
    by_hand.create_partitions([NewPartitions(name, 3)])[name].result(30)
    with pytest.raises(ConfigurationError, match=f"topic {name} .* has 3 partitions") as refused:
        admin.ensure([plan])
    assert "topics.partitions" in refused.value.next_step


@pytest.mark.parametrize(
    ("settings", "planned", "says"),
    [
        ({"cleanup.policy": "compact"}, APPENDED, "needs cleanup.policy=delete"),
        ({"retention.ms": "86400000"}, APPENDED, "needs retention.ms=-1"),
        ({"retention.ms": "-1", "retention.bytes": "9"}, APPENDED, "needs retention.bytes=-1"),
        ({"cleanup.policy": "compact,delete"}, COMPACTED, "needs cleanup.policy=compact"),
    ],
)
def test_settings_that_lose_records(
    kafka_broker: KafkaBroker,
    prefix: str,
    settings: dict[str, str],
    planned: dict[str, str],
    says: str,
) -> None:
    name = kafka_broker.create_topic(f"{prefix}.t", 1, settings)
    with pytest.raises(ConfigurationError, match=f"topic {name} in Kafka") as refused:
        topic_admin(bootstrap(kafka_broker), prefix).ensure([TopicPlan(name, 1, planned)])
    assert says in refused.value.what
    assert f"--alter --topic {name} --add-config" in refused.value.next_step


def test_a_topic_that_may_not_be_made(kafka_broker: KafkaBroker, prefix: str) -> None:
    admin = topic_admin(bootstrap(kafka_broker), prefix, create=False)
    with pytest.raises(ConfigurationError, match=f"topic {prefix}.t is not in Kafka") as refused:
        admin.ensure([TopicPlan(f"{prefix}.t", 5, APPENDED)])
    assert "5 partitions and cleanup.policy=delete" in refused.value.next_step
    assert f"{prefix}.t" not in kafka_broker.topics()


def test_a_record_that_is_too_large_for_the_topic(kafka_broker: KafkaBroker, prefix: str) -> None:
    topic = f"{prefix}.shop.order.synthetic"
    kafka_broker.create_topic(topic, 1, {**APPENDED, "max.message.bytes": "2000"})
    kafka_broker.create_topic(f"{prefix}.shop.progress", 2, COMPACTED)
    plain = {**bootstrap(kafka_broker).plain, "compression.type": "none"}
    slice_publisher = publisher(ClientSettings(plain), prefix, patience=5)
    sender = send(slice_publisher, Slot(0, topic, 0), numbered(1, size=9_000))
    with pytest.raises(PublishingStopped) as stopped:
        sender.close()
    assert stopped.value.failure.kind == "configuration"
    assert f"too large for {topic}[0]" in stopped.value.failure.sentence
    assert "max.message.bytes" in stopped.value.failure.next_step
    assert kafka_broker.read(topic) == []


def test_a_record_that_is_too_large_for_the_client(kafka_broker: KafkaBroker, prefix: str) -> None:
    [slot] = slots_on(kafka_broker, prefix)
    with pytest.raises(PublishingStopped, match="a record as too large"):
        send(publisher(bootstrap(kafka_broker), prefix), slot, numbered(1, size=2_000_000))


def test_a_topic_that_is_gone(kafka_broker: KafkaBroker, prefix: str) -> None:
    [slot] = slots_on(kafka_broker, prefix)
    missing = Slot(0, f"{prefix}.nowhere", 0)
    with pytest.raises(PublishingStopped, match=r"nowhere\[0\] is not there"):
        send(publisher(bootstrap(kafka_broker), prefix, patience=5), missing, numbered(1))
    assert kafka_broker.read(slot.topic) == []


def test_live_traffic_that_is_not_there_is_not_looked_at(
    kafka_broker: KafkaBroker, prefix: str
) -> None:
    settings, live = bootstrap(kafka_broker), f"{prefix}.live"
    with pytest.raises(ConfigurationError, match=f"topic {live} is not there"):
        refuse_unknown(settings, (), [LatencyLimit(live, 5)], {})
    kafka_broker.create_topic(live)
    with pytest.raises(ConfigurationError, match=f"group shop never committed on topic {live}"):
        refuse_unknown(settings, [LagLimit("shop", live, 5)], (), {live: 1})
