"""A group that stands still on a real broker: the record is named, and set aside once."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Producer, TopicPartition

import cutline
from cutline.errors import ConfigurationError, CutlineError
from support.command_line import CommandLine
from support.group_progress import commit, member, progress, project_on
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
    order: dict[str, Any] = {"owner": "Anna", "why": "no amount", "wait": 0.2}
    with pytest.raises(CutlineError, match="1 later records of key o-1") as refused:
        project.park(group, topic=topic, partition=0, **order)
    assert refused.value.exit_code == 1
    assert progress(kafka_broker, group, topic) == {0: 1, 1: 1}
    parked = project.park(group, topic=topic, partition=0, pass_siblings=True, **order)
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
    with pytest.raises(ConfigurationError, match="nothing blocks partition 1"):
        project.park(group, topic=topic, partition=1, **order)


def test_a_group_that_moves_is_not_blocked(
    kafka_broker: KafkaBroker, project: cutline.Project, group: str, topic: str
) -> None:
    commit(kafka_broker, group, topic, {0: 1})
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
        project.park(group, topic=topic, partition=0, owner="Anna", why="?", wait=0.2)
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
    with pytest.raises(CutlineError, match="retention has removed all before 2"):
        project.park(group, topic=topic, partition=0, owner="Anna", why="?", wait=0)


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
    unnamed = command_line(*words, "--park", "0")
    assert (unnamed.returncode, "Give --owner and --why" in unnamed.stderr) == (2, True)
    done = command_line(*words, "--park", "0", "--owner", "Anna", "--why", "no amount", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["parked"] == f"{topic}.parked"
    assert progress(kafka_broker, group, topic) == {0: 3, 1: 1}
