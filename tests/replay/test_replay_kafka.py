"""Topics of a real Kafka are replayed to others: Avro evolved, once, in order, and refused where live."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Consumer, Message, TopicPartition

import cutline
from cutline.errors import ConfigurationError, RunFailed
from cutline.project import load_shared
from cutline.replay.consumers import refuse_consumers
from cutline.replay.sending import ReplayKafka
from cutline.replay.source import ReplayedSource
from cutline.topics.catalog import topic_catalog
from support.avro_records import encoded, record, with_schema
from support.published import new_name
from support.replaying import Placed, killed_while_sending
from support.servers.kafka import KafkaBroker, Record
from support.servers.registry import SchemaRegistry
from support.topics_read import settings_of

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("spark")]
OLD = record("Order", no="int", gone="string")
NEW = record("Order", no="long", buyer=(["null", "string"], None))


def shop(
    folder: Path, broker: KafkaBroker, topic: str, registry: str | None = None
) -> tuple[cutline.Project, str]:
    """A project that may replay a topic, and where to."""
    again = f"{topic}.again"
    source: dict[str, Any] = {"topics": [topic]}
    if registry is not None:
        source["registry"] = {"url": registry}
    document = {
        "version": 1,
        "name": "shop",
        "topics": {
            "kind": "kafka",
            "kafka": {"bootstrap": broker.bootstrap},
            "prefix": topic,
            "partitions": 2,
            "replication": 1,
        },
        "sources": {},
        "regions": {"north": {}},
        "replays": {
            "orders": {
                "source": source,
                "destinations": {again: {"owner": "Order desk", "groups": ["replayers"]}},
            }
        },
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder), again


def sent(event: Placed, value: bytes | None) -> Record:
    headers = tuple((name, text.encode()) for name, text in event.headers().items())
    return Record(event.order.encode(), value, headers)


def ids(messages: Sequence[Message], key: str | None = None) -> list[int]:
    return [
        int(dict(m.headers() or [])["ce_id"].removeprefix(b"id-"))  # type: ignore[arg-type, union-attr]
        for m in messages
        if key is None or m.key() == key.encode()
    ]


def test_avro_evolves_to_the_newest_schema_and_nothing_is_sent_twice(
    kafka_broker: KafkaBroker,
    schema_registry: SchemaRegistry,
    tmp_path: Path,
) -> None:
    topic = kafka_broker.create_topic(new_name("replayed"), 2)
    subject = f"{topic}-value"
    events = [Placed(n, f"o-{n % 3}", minute=n) for n in range(1, 7)]
    values: list[bytes | None] = [
        encoded(schema_registry, subject, OLD, {"no": e.number, "gone": "x"}) for e in events[:3]
    ]
    values += [encoded(schema_registry, subject, NEW, {"no": 2**40, "buyer": "Ann"})]
    values += [with_schema(987654, NEW, {"no": 5, "buyer": None}), None]
    kafka_broker.produce(topic, [sent(*pair) for pair in zip(events, values, strict=True)])
    opened, again = shop(tmp_path, kafka_broker, topic, schema_registry.url)

    # The first attempt is killed when the first record of each partition is committed.
    with killed_while_sending(ReplayKafka, "number = 0"):
        opened.replay("orders", to=again)
    assert 0 < len(kafka_broker.read(again)) < 5
    # What comes now belongs to another replay.
    kafka_broker.produce(topic, [sent(Placed(7, "o-1"), values[0])])
    end = opened.replay("orders", to=again)
    assert (end.went_on, end.read, end.replayed, end.exceptions) == (True, 6, 5, 1)
    messages = kafka_broker.read(again)
    for key in ("o-0", "o-1", "o-2"):
        expected = [e.number for e in events if e.order == key and e.number != 5]
        assert ids(messages, key) == expected
    first = next(m for m in messages if ids([m]) == [1])
    assert json.loads(first.value() or b"") == {"no": 1, "buyer": None}
    headers = dict(first.headers() or [])
    assert (headers["ce_migreplaysafe"], headers["ce_migreplay"]) == (b"false", end.id.encode())
    original = next(m for m in kafka_broker.read(topic) if ids([m]) == [1])
    assert (first.timestamp(), first.partition()) == (original.timestamp(), original.partition())
    [refused] = kafka_broker.read(f"{again}.exceptions")
    exception = json.loads(refused.value() or b"")
    assert (exception["reason"], exception["id"]) == ("unknown-schema", "id-5")
    assert base64.b64decode(exception["content"]) == values[4]
    assert {o.written for o in end.outcomes} >= {"schema 987654", "version 1"}

    # A group that is there for replays may read it; any other is a reason to refuse.
    commit(kafka_broker, "replayers", again)
    refuse_consumers(settings_of(kafka_broker), again, ["replayers"])
    commit(kafka_broker, "order-desk", again)
    with pytest.raises(ConfigurationError, match="has consumers: group order-desk reads it"):
        opened.replay("orders", to=again, types=["OrderPaid"])


def commit(broker: KafkaBroker, group: str, topic: str) -> None:
    """A group that has read the first record of a topic."""
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group})
    consumer.commit(offsets=[TopicPartition(topic, 0, 1)], asynchronous=False)
    consumer.close()


def remove_before(broker: KafkaBroker, place: TopicPartition) -> None:
    """As retention does."""
    # Without a name of its own the client would end before its answer came.
    admin = broker.admin()
    admin.delete_records([place])[place].result(20)


def test_a_window_before_retention_says_from_when_on_there_is_data(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic(new_name("retained"))
    kafka_broker.produce(topic, [sent(Placed(n), b'{"no":1}') for n in range(4)])
    opened, again = shop(tmp_path, kafka_broker, topic)
    first = kafka_broker.read(topic)[2].timestamp()[1]
    remove_before(kafka_broker, TopicPartition(topic, 0, 2))
    moment = dt.datetime.fromtimestamp(first / 1000, dt.UTC)
    with pytest.raises(ConfigurationError) as error:
        opened.replay("orders", to=again, since=Placed(0).time)
    assert f"there are records from {moment.isoformat()} on" in error.value.what
    assert error.value.exit_code == 2
    # Without a window it is all that is there.
    look = opened.replay("orders", to=again, rate=1, dry_run=True)
    assert (look.read, look.seconds) == (2, 2.0)
    assert again not in kafka_broker.topics()


def test_a_destination_that_was_removed_is_sent_to_again(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic(new_name("lost"), 2)
    events = [Placed(n, f"o-{n % 3}", minute=n) for n in range(6)]
    kafka_broker.produce(topic, [sent(event, b'{"no": 1}') for event in events])
    opened, again = shop(tmp_path, kafka_broker, topic)
    first = opened.replay("orders", to=again)
    remove_before(kafka_broker, TopicPartition(again, 0, 1))
    assert opened.replay("orders", to=again).already_complete, "what retention removed was there"
    topic_catalog(load_shared(tmp_path)).remove([again])
    with pytest.raises(ConfigurationError, match=f"topic {again} is not there any more"):
        opened.replay("orders", to=again)
    second = opened.replay("orders", to=again, plan_anew=True)
    assert second.id != first.id
    assert sorted(ids(kafka_broker.read(again))) == [0, 1, 2, 3, 4, 5]
    assert opened.replay("orders", to=again, plan_anew=True).already_complete


def test_the_source_is_no_destination_however_its_cluster_is_reached(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic(new_name("itself"))
    opened, _ = shop(tmp_path, kafka_broker, topic)
    config = tmp_path / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    orders = document["replays"]["orders"]
    orders["source"]["kafka"] = {"bootstrap": f"localhost:{kafka_broker.port}"}
    orders["destinations"] = {topic: {"owner": "Order desk"}}
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is the source of the replay"):
        opened.replay("orders", to=topic)


@pytest.mark.parametrize("harm", ["shrunk", "made anew"])
def test_a_topic_that_changed_since_the_plan_is_not_replayed(
    kafka_broker: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    topic = kafka_broker.create_topic(new_name("harmed"))
    kafka_broker.produce(topic, [sent(Placed(n), b'{"no":1}') for n in range(3)])
    opened, again = shop(tmp_path, kafka_broker, topic)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ReplayedSource, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            opened.replay("orders", to=again)
    if harm == "shrunk":
        remove_before(kafka_broker, TopicPartition(topic, 0, 1))
        says = "0 to 0"
    else:
        kafka_broker.delete_topic(topic)
        kafka_broker.create_topic(topic)
        says = "made anew under its name"
    with pytest.raises(RunFailed) as error:
        opened.replay("orders", to=again)
    assert topic in error.value.what
    assert says in error.value.what
    assert again not in kafka_broker.topics()


def test_a_replay_is_rehearsed_beside_a_live_group_and_leaves_nothing(
    tmp_path: Path, kafka_broker: KafkaBroker
) -> None:
    topic = kafka_broker.create_topic(new_name("orders"), 2)
    placed = [Placed(n, f"o-{n % 20}", minute=n) for n in range(200)]
    kafka_broker.produce(topic, [sent(event, b"{}") for event in placed])
    project, again = shop(tmp_path, kafka_broker, topic)
    group = f"desk-{topic}"
    guard = {"group": group, "topic": topic, "messages": 500}
    document = yaml.safe_load((tmp_path / "cutline.yaml").read_text(encoding="utf-8"))
    document["topics"]["throttle"] = {"lag": [guard]}
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    commit(kafka_broker, group, topic)
    end = project.rehearse_replay("orders", to=again, share=0.05, rate=500)
    gates = end.figures["gates"]
    assert end.outcome == "passed", gates
    assert (end.figures["records_of_replay"], end.figures["records"]) == (200, 10)
    assert end.figures["keys"] == 1
    place = f"{group}@{topic}"
    assert gates["offsets"]["before"]["committed"][place] == {"0": 1}
    assert gates["offsets"]["after"]["committed"][place] == {"0": 1}
    assert f"lag of {place}" in gates["observability"]["says"]
    names = kafka_broker.topics()
    assert again not in names
    assert not [name for name in names if name.startswith(f"{topic}.rehearsal.")]
