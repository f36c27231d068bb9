"""A rehearsal's topics on Kafka: made, sent to, read, looked at beside a live group, removed."""

from __future__ import annotations

from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from cutline.errors import ConfigurationError
from cutline.project.readiness import LiveGroup
from cutline.rehearsal.kafka_topics import RehearsalKafka
from cutline.rehearsal.record import RehearsedRecord
from support.servers.kafka import KafkaBroker
from support.topics_read import settings_of

pytestmark = pytest.mark.kafka


def test_records_are_sent_read_and_removed_beside_a_live_group(kafka_broker: KafkaBroker) -> None:
    number = uuid4().hex[:8]
    live, group = f"live-{number}", f"desk-{number}"
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap})
    admin.create_topics([NewTopic(live, 1, 1)])[live].result()
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
