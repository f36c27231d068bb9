"""A rehearsal's topics on Kafka: made, sent to, read, looked at beside a live group, removed."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from cutline.errors import ConfigurationError
from cutline.project.readiness import LiveGroup
from cutline.rehearsal.kafka_topics import RehearsalKafka
from cutline.rehearsal.record import RehearsedRecord
from cutline.rehearsal.sending import send_at
from support.servers.kafka import KafkaBroker
from support.topics_read import settings_of

pytestmark = pytest.mark.kafka


@pytest.fixture
def live_topic(kafka_broker: KafkaBroker) -> tuple[str, str, str]:
    """A number that no other test has, a live topic by it, which is there, and a group."""
    number = uuid4().hex[:8]
    live = f"live-{number}"
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap})
    admin.create_topics([NewTopic(live, 1, 1)])[live].result()
    return number, live, f"desk-{number}"


class LiveTraffic:
    """A service that writes into a topic, and one that reads it, until they are stopped."""

    def __init__(self, bootstrap: str, topic: str, group: str) -> None:
        self.written = 0
        self.read: list[bytes | None] = []
        self._address, self._topic, self._group = bootstrap, topic, group
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=act) for act in (self._write, self._read_on)]

    def __enter__(self) -> LiveTraffic:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        producer = Producer({"bootstrap.servers": self._address})
        while not self._is_over.is_set():
            producer.produce(self._topic, str(self.written), partition=0)
            producer.flush(30)
            self.written += 1
            time.sleep(0.01)

    def _read_on(self) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self._address,
                "group.id": self._group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        consumer.subscribe([self._topic])
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if self._is_over.is_set() and len(self.read) >= self.written:
                break
            message = consumer.poll(0.1)
            if message is not None and message.error() is None:
                self.read.append(message.value())
                consumer.commit(asynchronous=False)
        consumer.close()


def test_live_traffic_goes_on_beside_a_rehearsal(
    kafka_broker: KafkaBroker, live_topic: tuple[str, str, str]
) -> None:
    number, live, group = live_topic
    groups = (LiveGroup(group=group, topic=live),)
    topics = RehearsalKafka(settings_of(kafka_broker), 2, 1, 60.0, groups, create=True)
    namespace = f"retail.rehearsal.{number}"
    history = f"{namespace}.shop.order.synthetic"
    topics.make([history], [])
    records = [
        RehearsedRecord(history, f"SO-{n}", {"ce_id": f"e-{n}"}, "{}", 1_760_000_000_000)
        for n in range(600)
    ]
    place = f"{group}@{live}"
    with LiveTraffic(kafka_broker.bootstrap, live, group) as traffic:
        while not traffic.read:
            time.sleep(0.1)
        before = topics.look([live])
        sent = send_at(
            topics, records, 200, lambda: topics.look([]).lag, lambda: None, {place: 1_000}
        )
        after = topics.look([live])
    assert len(sent.milliseconds) == 600
    assert sent.seconds > 2.5
    assert place in sent.worst_lag
    # It was at work all the time: it read on, and what it read is what was written.
    assert after.committed[place]["0"] > before.committed[place]["0"]
    assert traffic.read == [str(n).encode() for n in range(traffic.written)]
    assert after.ends[live]["0"] > before.ends[live]["0"]
    assert topics.remove(namespace) == 1
    topics.close()


def test_records_are_sent_read_and_removed_beside_a_live_group(
    kafka_broker: KafkaBroker, live_topic: tuple[str, str, str]
) -> None:
    number, live, group = live_topic
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap})
    for n in range(7):
        producer.produce(live, str(n), partition=0)
    producer.flush(30)
    consumer = Consumer({"bootstrap.servers": kafka_broker.bootstrap, "group.id": group})
    consumer.commit(offsets=[TopicPartition(live, 0, 3)], asynchronous=False)
    consumer.close()

    groups = (LiveGroup(group=group, topic=live),)
    settings = settings_of(kafka_broker)
    topics = RehearsalKafka(settings, 2, 1, 60.0, groups, create=True)
    namespace = f"retail.rehearsal.{number}"
    history, states = f"{namespace}.shop.order.synthetic", f"{namespace}.shop.order.state"
    look = topics.look([live])
    assert look.committed == {f"{group}@{live}": {"0": 3}}
    assert look.lag == {f"{group}@{live}": 4}
    assert look.ends[live]["0"] == 7
    topics.make([history], [states])
    sent = [
        RehearsedRecord(
            topic, f"SO-{n % 3}", {"ce_id": f"e-{n}"}, f'{{"n":{n}}}', 1_760_000_000_000
        )
        for topic in (history, states)
        for n in range(20)
    ]
    milliseconds = topics.send(sent)
    assert len(milliseconds) == 40
    assert min(milliseconds) > 0
    brokers = topics.brokers()
    assert brokers is not None
    assert brokers.brokers == 1
    assert brokers.answer_millis_p99 > 0
    assert brokers.bytes > sum(record.size for record in sent[:20]) / 10
    assert brokers.requests > 0
    assert (brokers.timeouts, brokers.throttled_millis) == (0, 0)
    assert "1 of the brokers took" in str(brokers)
    back = list(topics.read([history, states]))
    assert {(r.topic, r.value) for r in back} == {(r.topic, (r.value or "").encode()) for r in sent}
    of_subject = [r.value for r in back if r.topic == history and r.key == b"SO-1"]
    assert of_subject == [b'{"n":%d}' % n for n in (1, 4, 7, 10, 13, 16, 19)]
    assert topics.standing(namespace) == sorted([history, states])
    assert topics.remove(namespace) == 2
    assert topics.standing(namespace) == []
    assert topics.look([live]) == look
    topics.close()

    with pytest.raises(ConfigurationError, match=r"topics\.create is never"):
        RehearsalKafka(settings, 2, 1, 60.0, (), create=False).make([history], [])
    strange = (LiveGroup(group=group, topic=f"{live}-gone"),)
    with pytest.raises(ConfigurationError, match="is not there"):
        RehearsalKafka(settings, 2, 1, 60.0, strange, create=True).look([])
