"""A group that stands still on a real broker: the record is named, and set aside once."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from confluent_kafka import Producer, TopicPartition

import cutline
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.topics.kafka.group import GroupOnTopic
from cutline.unblock import parking
from support.command_line import CommandLine
from support.group_progress import commit, joining, member, progress, project_on
from support.published import new_name
from support.servers.kafka import KafkaBroker, Record

pytestmark = pytest.mark.kafka
EVENT = (("ce_id", b"e-2"), ("ce_type", b"OrderPlaced"), ("ce_subject", b"o-1"))


@pytest.fixture
def group() -> str:
    return new_name("desk")


@pytest.fixture
def topic(kafka_broker: KafkaBroker, group: str) -> str:
    """A topic of two partitions; the second event of o-1 is the one that nobody can handle."""
    name = kafka_broker.create_topic(f"{group}.orders", 2)
    kafka_broker.produce(
        name,
        [
            Record(b"o-1", b"1", (), 0),
            Record(b"o-1", b"?", EVENT, 0),
            Record(b"o-2", b"1", (), 0),
            Record(b"o-1", b"3", (), 0),
            Record(b"o-3", b"1", (), 1),
        ],
    )
    return name


@pytest.fixture
def project(kafka_broker: KafkaBroker, tmp_path: Path) -> cutline.Project:
    return project_on(kafka_broker, tmp_path)


def test_the_record_is_named_and_set_aside(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    commit(kafka_broker, group, topic, {0: 1, 1: 1})
    [blocked] = project.blocked_consumers(group, topic=topic, wait=0.2)
    assert (blocked.partition, blocked.offset, blocked.lag, blocked.key) == (0, 1, 3, "o-1")
    assert (blocked.event_id, blocked.type, blocked.subject) == ("e-2", "OrderPlaced", "o-1")
    assert (blocked.siblings, blocked.bytes) == (1, 4)
    order: dict[str, Any] = {"owner": "Anna", "why": "no amount"}
    with pytest.raises(CutlineError, match="1 later records of key o-1") as refused:
        project.park(group, topic=topic, partition=0, offset=1, **order)
    assert refused.value.exit_code == 1
    assert progress(kafka_broker, group, topic) == {0: 1, 1: 1}
    parked = project.park(group, topic=topic, partition=0, offset=1, pass_siblings=True, **order)
    assert parked.parked == f"{topic}.parked"
    assert progress(kafka_broker, group, topic) == {0: 2, 1: 1}
    [record] = kafka_broker.read(f"{topic}.parked")
    headers = dict(record.headers() or [])
    assert (record.key(), record.value(), headers["ce_id"]) == (b"o-1", b"?", b"e-2")
    assert headers["cutline_parked_from"] == f"{topic}/0/1".encode()
    assert (headers["cutline_parked_by"], headers["cutline_parked_why"]) == (b"Anna", b"no amount")
    # The next one is in the way now, and nothing blocks the other partition.
    [following] = project.blocked_consumers(group, topic=topic, wait=0.2)
    assert (following.offset, following.siblings) == (2, 0)
    for partition, offset, stands in ((1, 1, "no record"), (0, 1, "offset 2"), (7, 0, "no record")):
        with pytest.raises(ConfigurationError, match=f"stands before {stands}"):
            project.park(group, topic=topic, partition=partition, offset=offset, **order)
    with pytest.raises(ConfigurationError, match="why: '  ' says nothing"):
        project.park(group, topic=topic, partition=0, offset=2, owner="Anna", why="  ")


def test_a_group_that_moves_is_not_blocked(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    commit(kafka_broker, group, topic, {0: 1, 1: 1})
    mover = threading.Timer(0.5, commit, (kafka_broker, group, topic, {0: 2}))
    mover.start()
    assert not list(project.blocked_consumers(group, topic=topic, wait=2))
    mover.join()
    commit(kafka_broker, group, topic, {0: 4})
    assert not list(project.blocked_consumers(group, topic=topic, wait=0))


def test_a_service_that_runs_is_stopped_first(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    commit(kafka_broker, group, topic, {0: 2, 1: 1})
    with (
        member(kafka_broker, group, topic),
        pytest.raises(CutlineError, match="has 1 members") as refused,
    ):
        project.park(group, topic=topic, partition=0, offset=2, owner="Anna", why="?")
    assert "Stop the service" in (refused.value.next_step or "")
    assert progress(kafka_broker, group, topic) == {0: 2, 1: 1}
    assert f"{topic}.parked" not in kafka_broker.topics()


def test_markers_of_transactions_block_nobody(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str
) -> None:
    topic = kafka_broker.create_topic(f"{group}.marked")
    producer = Producer(
        {"bootstrap.servers": kafka_broker.bootstrap, "transactional.id": f"{group}-marked"}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"1", b"o-1")
    producer.commit_transaction(30)
    commit(kafka_broker, group, topic, {0: 1})
    assert not list(project.blocked_consumers(group, topic=topic, wait=0))


def test_what_retention_removed_is_said(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    commit(kafka_broker, group, topic, {0: 0, 1: 1})
    place = TopicPartition(topic, 0, 2)
    admin = kafka_broker.admin()
    admin.delete_records([place])[place].result(30)
    [blocked] = project.blocked_consumers(group, topic=topic, wait=0)
    assert (blocked.progress, blocked.first, blocked.offset) == (0, 2, None)
    assert blocked.obstacle == "retention"
    with pytest.raises(CutlineError, match="retention has removed what the group was to read"):
        project.park(group, topic=topic, partition=0, offset=0, owner="Anna", why="?")


def test_other_obstacles_than_a_record(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    """A partition on which the group never committed, one that is shorter than what it has read, and
    a transaction that nobody ends."""
    commit(kafka_broker, group, topic, {0: 9})
    shorter, never = project.blocked_consumers(group, topic=topic, wait=0)
    assert (shorter.obstacle, shorter.offset, shorter.lag) == ("beyond-end", None, 0)
    assert (never.partition, never.committed, never.offset, never.members) == (1, False, 0, 0)
    commit(kafka_broker, group, topic, {0: 4, 1: 1})
    producer = Producer(
        {"bootstrap.servers": kafka_broker.bootstrap, "transactional.id": f"{group}-open"}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"1", b"o-1", 0)
    assert producer.flush(30) == 0
    [waits] = project.blocked_consumers(group, topic=topic, wait=0)
    assert (waits.obstacle, waits.progress, waits.offset) == ("open-transaction", 4, None)
    producer.abort_transaction(30)


def test_who_comes_back_or_goes_on_meanwhile_is_left_alone(
    kafka_broker: KafkaBroker,
    project: cutline.Project,
    group: str,
    topic: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between the look at the group and the transaction."""
    commit(kafka_broker, group, topic, {0: 2, 1: 1})
    order: dict[str, Any] = {"offset": 2, "owner": "Anna", "why": "?"}
    ensure = parking._ensure

    def went_on(on_topic: GroupOnTopic, order: parking.ParkingOrder) -> None:
        ensure(on_topic, order)
        commit(kafka_broker, group, topic, {0: 4})

    monkeypatch.setattr(parking, "_ensure", went_on)
    with pytest.raises(RunFailed, match="went on to offset 4"):
        project.park(group, topic=topic, partition=0, **order)
    monkeypatch.setattr(parking, "_ensure", ensure)
    commit(kafka_broker, group, topic, {0: 2})
    move = parking._move
    with ExitStack() as stack:

        def came_back(on_topic: Any, blocked: Any, record: Any, order: Any, only: Any) -> None:
            membership = only.consumer_group_metadata()
            only.close()
            stack.enter_context(member(kafka_broker, group, topic))
            former = SimpleNamespace(consumer_group_metadata=lambda: membership)
            move(on_topic, blocked, record, order, former)  # type: ignore[arg-type]

        monkeypatch.setattr(parking, "_move", came_back)
        with pytest.raises(RunFailed, match="could not be set aside") as failed:
            project.park(group, topic=topic, partition=0, **order)
    assert failed.value.left_behind == "No record and no progress of the group was moved."
    assert progress(kafka_broker, group, topic) == {0: 2, 1: 1}
    assert kafka_broker.read(f"{topic}.parked") == []
    # Whoever asks to be let in waits until it is done, and begins behind it.
    with ExitStack() as stack:

        def asked_for(*arguments: Any) -> None:
            stack.enter_context(joining(kafka_broker, group, topic))
            move(*arguments)

        monkeypatch.setattr(parking, "_move", asked_for)
        project.park(group, topic=topic, partition=0, **order)
    assert progress(kafka_broker, group, topic) == {0: 3, 1: 1}
    assert len(kafka_broker.read(f"{topic}.parked")) == 1


def test_a_record_as_large_as_its_topic_lets_it_be(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str
) -> None:
    topic = kafka_broker.create_topic(f"{group}.large", 1, {"max.message.bytes": "5000000"})
    large = Record(b"o-1", bytes(2_000_000), (), 0)
    kafka_broker.produce(topic, [large], **{"message.max.bytes": 5_000_000})
    commit(kafka_broker, group, topic, {0: 0})
    project.park(group, topic=topic, partition=0, offset=0, owner="Anna", why="?")
    assert progress(kafka_broker, group, topic) == {0: 1}


def test_what_is_not_there_is_named(
    project: cutline.Project, group: str, topic: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=f"topic {topic}.none is not in Kafka"):
        project.blocked_consumers(group, topic=f"{topic}.none")
    with pytest.raises(ConfigurationError, match=f"group {group} never committed"):
        project.blocked_consumers(group, topic=topic)
    config = (tmp_path / "cutline.yaml").read_text(encoding="utf-8")
    document = yaml.safe_load(config) | {"topics": {"prefix": "shop"}}
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="topics of files have no consumer groups"):
        project.blocked_consumers(group, topic=topic)


def test_the_command(
    kafka_broker: KafkaBroker,
    project: cutline.Project,
    group: str,
    topic: str,
    command_line: CommandLine,
) -> None:
    commit(kafka_broker, group, topic, {0: 2, 1: 1})
    words = ("unblock", group, "--topic", topic, "--wait", "0.2", "--project", project.folder)
    look = command_line(*words)
    assert look.returncode == 1, look.stderr
    assert f"{topic}[0]: group {group} stands at offset 2, 2 behind" in look.stdout
    unnamed = command_line(*words, "--park", "0:2")
    assert (unnamed.returncode, "Give --owner and --why" in unnamed.stderr) == (2, True)
    done = command_line(*words, "--park", "0:2", "--owner", "Anna", "--why", "no amount", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["parked"] == f"{topic}.parked"
    assert progress(kafka_broker, group, topic) == {0: 3, 1: 1}
