"""A service as a member of a group: where it begins, what it refuses, and how it leaves."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from cutline.consumer import ConsumerError, Received, Retries, Service, run_kafka
from support.consuming import HANDLED_EVENTS, Desk, event, history
from support.mailing_service import database
from support.servers.kafka import KafkaBroker, Record


def produced(broker: KafkaBroker, topic: str, records: Sequence[Received]) -> None:
    broker.produce(topic, [Record(r.key, r.value, r.headers, r.partition) for r in records])


@pytest.fixture
def topic(kafka_broker: KafkaBroker, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"{request.node.originalname}-{os.getpid()}.live".replace("_", "-")
    yield kafka_broker.create_topic(name, 2)
    kafka_broker.delete_topic(name)


def run(broker: KafkaBroker, service: Service, topic: str, **settings: object) -> None:
    """Until nothing comes any more."""
    base = {
        "bootstrap.servers": broker.bootstrap,
        "group.id": f"{topic}-{service.owner.version}",
        "log_level": 0,
    }
    client = Consumer(base)
    ends = {
        (topic, partition): client.get_watermark_offsets(TopicPartition(topic, partition))[1]
        for partition in (0, 1)
    }
    client.close()
    run_kafka(service, [topic], base | settings, until=lambda: not service.behind(ends))


def test_it_goes_on_at_its_own_position_and_not_at_the_group_s(
    kafka_broker: KafkaBroker, topic: str
) -> None:
    """As after a kill between the database's commit and Kafka's: nothing is done twice."""
    desk = Desk()
    produced(kafka_broker, topic, [event(n, 0, partition=n % 2) for n in range(6)])
    run(kafka_broker, desk.service(), topic)
    group = {"bootstrap.servers": kafka_broker.bootstrap, "group.id": f"{topic}-1"}
    client = Consumer(group)
    places = [TopicPartition(topic, partition) for partition in (0, 1)]
    assert [p.offset for p in client.committed(places, timeout=10)] == [3, 3], "for who looks"
    client.commit(offsets=[TopicPartition(topic, p, 0) for p in (0, 1)], asynchronous=False)
    client.close()
    produced(kafka_broker, topic, [event(6, 0, partition=0)])
    service = desk.service()
    run(kafka_broker, service, topic)
    assert sorted(desk.handled()) == [f"e-{n}" for n in range(7)]
    assert ("event", "duplicate") not in service.counts(), "they did not even come"


def test_what_was_aborted_is_not_handled(kafka_broker: KafkaBroker, topic: str) -> None:
    desk = Desk()
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap, "transactional.id": topic})
    producer.init_transactions(20)
    for number, committed in ((1, False), (2, True)):
        record = event(number, 0)
        producer.begin_transaction()
        producer.produce(topic, record.value, record.key, 0, headers=list(record.headers))
        producer.flush(20)
        if committed:
            producer.commit_transaction(20)
        else:
            producer.abort_transaction(20)
    service = desk.service()
    settings = {"bootstrap.servers": kafka_broker.bootstrap, "group.id": topic}
    run_kafka(service, [topic], settings, until=lambda: bool(desk.handled()))
    assert desk.handled() == ["e-2"]


def test_a_position_that_retention_removed_is_told(kafka_broker: KafkaBroker, topic: str) -> None:
    desk = Desk()
    produced(kafka_broker, topic, [event(n, 0, partition=0) for n in range(3)])
    run(kafka_broker, desk.service(), topic)
    produced(kafka_broker, topic, [event(n, 0, partition=0) for n in range(3, 8)])
    admin = kafka_broker.admin()
    for future in admin.delete_records([TopicPartition(topic, 0, 6)]).values():
        future.result(20)
    sentence = rf"topic {topic}, partition 0.*: the service's position is not there any more"
    with pytest.raises(ConsumerError, match=sentence):
        run(kafka_broker, desk.service(), topic)
    assert desk.handled() == ["e-0", "e-1", "e-2"], "it does not go on behind the gap"
    # A new version reads what is there.
    run(kafka_broker, desk.service("2"), topic)
    assert desk.handled()[3:] == ["e-6", "e-7"]


def test_a_member_joins_and_leaves_while_another_works(
    kafka_broker: KafkaBroker, topic: str, tmp_path: Path
) -> None:
    engine = database(f"sqlite:///{tmp_path}/service.db")
    HANDLED_EVENTS.metadata.create_all(engine)
    desk = Desk(engine)
    first, second = desk.service(), desk.service()
    settings = {"bootstrap.servers": kafka_broker.bootstrap, "group.id": topic}
    ended = threading.Event()

    def work(service: Service, done: threading.Event | None = None) -> None:
        run_kafka(service, [topic], settings)
        if done is not None:
            done.set()

    threads = [threading.Thread(target=work, args=(first,))]
    threads[0].start()
    try:
        numbers = iter(range(1000))
        for step in range(3):
            if step == 1:
                threads.append(threading.Thread(target=work, args=(second, ended)))
                threads[1].start()
            if step == 2:
                second.stop()
                assert ended.wait(30)
            for _ in range(10):
                number = next(numbers)
                produced(kafka_broker, topic, [event(number, 0, partition=number % 2)])
        ends = {(topic, 0): 15, (topic, 1): 15}
        for _ in range(300):
            if not first.behind(ends):
                break
            threading.Event().wait(0.1)
    finally:
        first.stop()
        second.stop()
        for thread in threads:
            thread.join(30)
    assert sorted(desk.handled()) == sorted(f"e-{n}" for n in range(30))
    assert sorted(desk.mailed()) == sorted(desk.handled())


def test_a_topic_that_is_not_there_is_told(kafka_broker: KafkaBroker) -> None:
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    with pytest.raises(ConsumerError, match="topic nowhere is not there"):
        run_kafka(Desk().service(), ["nowhere"], settings)


def test_wrong_credentials_are_told_and_not_shown(kafka_broker: KafkaBroker) -> None:
    settings = {
        "bootstrap.servers": kafka_broker.sasl_bootstrap,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "cutline",
        "sasl.password": "wrong-secret-1",
        "log_level": 0,
    }
    with pytest.raises(ConsumerError, match=r"(?i)authentication") as raised:
        run_kafka(Desk().service(), ["nowhere"], settings)
    assert "wrong-secret-1" not in str(raised.value)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("isolation.level", "read_uncommitted"), ("enable.auto.commit", True)],
)
def test_a_setting_that_each_event_once_rests_on_is_refused(setting: str, value: object) -> None:
    with pytest.raises(ConsumerError, match=f"the setting {setting} is"):
        run_kafka(Desk().service(), ["t"], {"bootstrap.servers": "x:1", setting: value})


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("no.such.setting", 1, 'refuses the settings: .*"no.such.setting"'),
        ("error_cb", print, "error_cb is the service's own"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(setting: str, value: object, sentence: str) -> None:
    with pytest.raises(ConsumerError, match=sentence):
        run_kafka(Desk().service(), ["t"], {"bootstrap.servers": "x:1", setting: value})


def test_retries_that_wait_longer_than_kafka_does_are_refused() -> None:
    service = Desk().service(retries=Retries(attempts=20, first=10.0, longest=60.0))
    with pytest.raises(ConsumerError, match=r"max\.poll\.interval\.ms allows 300 s"):
        run_kafka(service, ["t"], {"bootstrap.servers": "x:1"})


def test_history_is_silent_on_kafka_too(kafka_broker: KafkaBroker, topic: str) -> None:
    desk = Desk()
    produced(kafka_broker, topic, [history(1, 0), event(2, 0)])
    run(kafka_broker, desk.service(), topic)
    assert (sorted(desk.handled()), desk.mailed()) == (["e-1", "e-2"], ["e-2"])
