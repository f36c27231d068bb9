"""A replay whose destination is on another cluster than the project's topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Message

import cutline
from cutline.errors import ConfigurationError, RunFailed
from cutline.rehearsal.kafka_topics import RehearsalKafka
from cutline.replay.sending import ReplayKafka
from support.client_quotas import BOTH_RATES, CONSUMER, PRODUCER, standing
from support.published import bootstrap, new_name
from support.replaying import Placed, append_records, killed_while_sending
from support.servers.kafka import KafkaBroker, Record

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("spark")]


def declared(folder: Path, topics: dict[str, Any], source: str, target: str, **at: Any) -> None:
    """A project whose replay `orders` goes to a topic of another cluster."""
    publication = {"prefix": "again", "partitions": 2, "replication": 1, **at}
    document = {
        **{"version": 1, "name": "shop", "sources": {}, "regions": {"north": {}}},
        "topics": topics,
        "replays": {
            "orders": {
                "source": {"topics": [source]},
                "destinations": {target: {"owner": "Order desk", "topics": publication}},
            }
        },
    }
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")


def on_kafka(broker: KafkaBroker, prefix: str) -> dict[str, Any]:
    return {"kind": "kafka", "prefix": prefix, "kafka": {"bootstrap": broker.bootstrap}}


def placed(broker: KafkaBroker, topic: str, events: int) -> None:
    broker.produce(
        topic,
        [
            Record(
                e.order.encode(),
                b'{"no":1}',
                tuple((name, text.encode()) for name, text in e.headers().items()),
            )
            for e in (Placed(n, f"o-{n % 20}", minute=n) for n in range(events))
        ],
    )


def ids(messages: list[Message]) -> list[str]:
    return sorted(str(dict(m.headers() or [])["ce_id"]) for m in messages)


def test_it_is_sent_there_once_and_nothing_here(
    tmp_path: Path, kafka_broker: KafkaBroker, other_broker: KafkaBroker
) -> None:
    topic = kafka_broker.create_topic(new_name("orders"), 2)
    placed(kafka_broker, topic, 20)
    topics = on_kafka(kafka_broker, topic)
    # It may even have the name of its source, which is another topic.
    declared(tmp_path, topics, topic, topic, kafka={"bootstrap": other_broker.bootstrap})
    project = cutline.Project.open(tmp_path)
    look = project.replay("orders", to=topic, dry_run=True)
    assert look.replayed == 20
    assert topic not in other_broker.topics()
    with killed_while_sending(ReplayKafka, "number < 5"):
        project.replay("orders", to=topic)
    done = project.replay("orders", to=topic)
    assert (done.id, done.went_on, done.replayed) == (look.id, True, 20)
    assert ids(other_broker.read(topic)) == ids(kafka_broker.read(topic))
    assert len(kafka_broker.read(topic)) == 20
    assert {name for name in kafka_broker.topics() if name.startswith("again.")} == set()
    again = project.replay("orders", to=topic)
    assert (again.id, again.already_complete) == (done.id, True)


def test_the_same_to_another_cluster_is_another_replay(
    tmp_path: Path, kafka_broker: KafkaBroker, other_broker: KafkaBroker
) -> None:
    topic, target = kafka_broker.create_topic(new_name("orders")), new_name("again")
    placed(kafka_broker, topic, 3)
    topics = on_kafka(kafka_broker, topic)
    ends = []
    for broker in (kafka_broker, other_broker):
        declared(tmp_path, topics, topic, target, kafka={"bootstrap": broker.bootstrap})
        ends.append(cutline.Project.open(tmp_path).replay("orders", to=target))
        assert len(broker.read(target)) == 3
    assert [end.already_complete for end in ends] == [False, False]
    assert ends[0].id != ends[1].id


def test_each_cluster_has_its_quota_while_it_works(
    tmp_path: Path, kafka_broker: KafkaBroker, other_broker: KafkaBroker
) -> None:
    """What the project lets a job read, on the cluster that is read; on the other what its
    destination lets it send."""
    topic, target = kafka_broker.create_topic(new_name("orders")), new_name("again")
    placed(kafka_broker, topic, 3)
    destination = {"kafka": {"bootstrap": other_broker.bootstrap}, "quotas": {PRODUCER: 3_000_000}}
    declared(
        tmp_path,
        {**on_kafka(kafka_broker, topic), "quotas": BOTH_RATES},
        topic,
        target,
        **destination,
    )

    def quotas() -> list[dict[str, float]]:
        return [
            standing(bootstrap(broker), client_id)
            for broker in (kafka_broker, other_broker)
            for client_id in (f"cutline.{target}", f"cutline.{target}.source")
        ]

    during: list[list[dict[str, float]]] = []
    project = cutline.Project.open(tmp_path)
    project.replay("orders", to=target, say=lambda _: during.append(quotas()))
    # The first that is said is that the first of the two was set.
    reading, sending = {CONSUMER: BOTH_RATES[CONSUMER]}, {PRODUCER: 3_000_000}
    assert during[0] == [{}, reading, {}, {}]
    assert len(during) > 2
    assert during[1:] == [[{}, reading, sending, {}]] * len(during[1:])
    assert quotas() == [{}, {}, {}, {}]
    assert len(other_broker.read(target)) == 3


def test_its_own_source_is_refused_however_its_cluster_is_reached(
    tmp_path: Path, kafka_broker: KafkaBroker
) -> None:
    topic = kafka_broker.create_topic(new_name("orders"))
    placed(kafka_broker, topic, 1)
    cluster = {"bootstrap": f"localhost:{kafka_broker.port}"}
    declared(tmp_path, on_kafka(kafka_broker, topic), topic, topic, kafka=cluster)
    with pytest.raises(ConfigurationError, match="is the source of the replay"):
        cutline.Project.open(tmp_path).replay("orders", to=topic)


def test_what_is_live_there_or_here_is_refused(tmp_path: Path, kafka_broker: KafkaBroker) -> None:
    topics, cluster = on_kafka(kafka_broker, "shop"), {"bootstrap": "nowhere:9"}
    guard = {"group": "desk", "topic": "orders.there", "messages": 1}
    limits = {"throttle": {"lag": [guard]}, "kafka": cluster}
    declared(tmp_path, topics, "orders", "orders.there", **limits)
    with pytest.raises(ConfigurationError, match=r"orders\.there is live: topics\.throttle"):
        cutline.Project.open(tmp_path).replay("orders", to="orders.there")
    declared(
        tmp_path,
        {**topics, "throttle": {"lag": [{**guard, "topic": "orders.here"}]}},
        *("orders", "orders.here"),
        kafka=cluster,
    )
    with pytest.raises(ConfigurationError, match=r"orders\.here is live: topics\.throttle"):
        cutline.Project.open(tmp_path).replay("orders", to="orders.here")


def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path, kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic(new_name("orders"))
    placed(kafka_broker, topic, 1)
    topics = on_kafka(kafka_broker, topic)
    declared(tmp_path, topics, topic, "there", kafka={"bootstrap": "127.0.0.1:1"})
    with pytest.raises(RunFailed) as error:
        cutline.Project.open(tmp_path).replay("orders", to="there")
    assert "replays.orders.destinations.there.topics.kafka" in str(error.value)


def test_topics_of_files_are_replayed_to_kafka_at_a_rate(
    tmp_path: Path, other_broker: KafkaBroker
) -> None:
    target = new_name("again")
    append_records(tmp_path, "orders", [Placed(n, minute=n).record() for n in range(3)])
    files = {"prefix": "shop", "partitions": 2}
    declared(tmp_path, files, "orders", target, kafka={"bootstrap": other_broker.bootstrap})
    done = cutline.Project.open(tmp_path).replay("orders", to=target, rate=1_000)
    assert done.replayed == len(other_broker.read(target)) == 3


def test_it_is_rehearsed_there_and_leaves_nothing(
    tmp_path: Path,
    kafka_broker: KafkaBroker,
    other_broker: KafkaBroker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topic, target = kafka_broker.create_topic(new_name("orders"), 2), new_name("again")
    placed(kafka_broker, topic, 200)
    topics = on_kafka(kafka_broker, topic)
    # A live group of the project's cluster, which the other one does not know.
    topics["throttle"] = {"lag": [{"group": f"desk-{topic}", "topic": topic, "messages": 5}]}
    declared(tmp_path, topics, topic, target, kafka={"bootstrap": other_broker.bootstrap})
    project, before = cutline.Project.open(tmp_path), set(other_broker.topics())

    def stays(topics: RehearsalKafka, namespace: str) -> int:
        return len(topics.standing(namespace))

    with monkeypatch.context() as patch:
        patch.setattr(RehearsalKafka, "remove", stays)
        end = project.rehearse_replay("orders", to=target, share=0.5, rate=500)
    assert end.outcome == "failed"
    [left] = set(other_broker.topics()) - before
    assert left.startswith("again.rehearsal.")
    assert not [name for name in kafka_broker.topics() if name.startswith("again.rehearsal.")]
    assert list(project.clean_replay_rehearsals("orders", to=target).values()) == [1]
    assert set(other_broker.topics()) == before
    end = project.rehearse_replay("orders", to=target, share=0.5, rate=500)
    assert end.outcome == "passed", end.figures
    assert set(other_broker.topics()) == before
