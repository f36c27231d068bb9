"""A group on a real broker reads a part of a topic again, and is put back."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition

import cutline
from cutline.errors import ConfigurationError, CutlineError
from cutline.topics.kafka.group import GroupOnTopic
from support.command_line import CommandLine
from support.group_progress import commit, member, progress, project_on
from support.published import new_name
from support.servers.kafka import KafkaBroker

pytestmark = pytest.mark.kafka
NOON = dt.datetime.now(dt.UTC).replace(microsecond=0) - dt.timedelta(hours=3)
"""Late enough for the broker to keep what is of it."""
ORDER: dict[str, Any] = {"owner": "Anna", "why": "ticket 17"}


@pytest.fixture
def group() -> str:
    return new_name("reader")


@pytest.fixture
def topic(kafka_broker: KafkaBroker, group: str) -> str:
    """Five records on partition 0, a minute apart from noon on, the third of them late; two on
    partition 1, of before noon. One says that it is history."""
    name = kafka_broker.create_topic(f"{group}.orders", 2)
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap})
    for partition, minute in ((0, 0), (0, 1), (0, -5), (0, 3), (0, 4), (1, -9), (1, -8)):
        at = int((NOON + dt.timedelta(minutes=minute)).timestamp() * 1000)
        headers: dict[str, str | bytes | None] = (
            {"ce_migreplaysafe": b"false"} if minute == 3 else {}
        )
        producer.produce(
            name, b"%d" % minute, b"o-1", partition=partition, timestamp=at, headers=headers
        )
    assert producer.flush(60) == 0
    return name


@pytest.fixture
def reconsume(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> cutline.GroupReconsume:
    """The group has read all of it."""
    commit(kafka_broker, group, topic, {0: 5, 1: 2})
    return project_on(kafka_broker, tmp_path).reconsume(group, topic=topic)


def test_a_group_is_moved_back_followed_and_done(
    kafka_broker: KafkaBroker,
    reconsume: cutline.GroupReconsume,
    group: str,
    topic: str,
    tmp_path: Path,
) -> None:
    since = NOON + dt.timedelta(minutes=1)
    planned = reconsume.plan(since)
    [part] = planned.partitions
    # The late one stands between others of the moment, and is delivered again with them.
    assert (part.partition, part.before, part.target, part.records) == (0, 5, 1, 4)
    assert (planned.status, planned.unlabelled, planned.left) == ("planned", 3, 4)
    assert progress(kafka_broker, group, topic) == {0: 5, 1: 2}
    export = tmp_path / "offsets.csv"
    moved = reconsume.start(since, export=export, **ORDER)
    assert (moved.status, moved.owner, moved.left) == ("moved", "Anna", 4)
    assert progress(kafka_broker, group, topic) == {0: 1, 1: 2}
    assert export.read_text(encoding="utf-8") == f"{topic},0,5\n"
    for again in (reconsume.start, reconsume.finish):
        arguments = {"since": since, **ORDER} if again == reconsume.start else {}
        with pytest.raises(CutlineError) as refused:
            again(**arguments)
        assert refused.value.exit_code == 1
    commit(kafka_broker, group, topic, {0: 4})
    assert reconsume.status().left == 1
    commit(kafka_broker, group, topic, {0: 6})
    assert (reconsume.status().left, reconsume.finish().status) == (0, "finished")
    with pytest.raises(CutlineError, match="it is finished"):
        reconsume.status()


def test_the_beginning_and_back(
    kafka_broker: KafkaBroker, reconsume: cutline.GroupReconsume, group: str, topic: str
) -> None:
    started = reconsume.start("beginning", **ORDER)
    assert started.records == 7
    assert progress(kafka_broker, group, topic) == {0: 0, 1: 0}
    # On partition 1 it is where it stood and further; there it stays.
    commit(kafka_broker, group, topic, {0: 2, 1: 2})
    with (
        member(kafka_broker, group, topic),
        pytest.raises(CutlineError, match="has 1 members"),
    ):
        reconsume.cancel()
    assert reconsume.cancel().status == "cancelled"
    assert progress(kafka_broker, group, topic) == {0: 5, 1: 2}


def test_a_group_that_is_not_idle_is_not_moved(
    kafka_broker: KafkaBroker, reconsume: cutline.GroupReconsume, group: str, topic: str
) -> None:
    with (
        member(kafka_broker, group, topic),
        pytest.raises(CutlineError, match="has 1 members") as refused,
    ):
        reconsume.start("beginning", **ORDER)
    assert refused.value.exit_code == 1
    assert progress(kafka_broker, group, topic) == {0: 5, 1: 2}
    with pytest.raises(CutlineError, match="it never was"):
        reconsume.status()


@pytest.mark.parametrize("kafka_knows", [False, True])
def test_who_is_killed_while_it_is_moved_is_gone_on_with(
    kafka_broker: KafkaBroker,
    reconsume: cutline.GroupReconsume,
    group: str,
    topic: str,
    monkeypatch: pytest.MonkeyPatch,
    kafka_knows: bool,
) -> None:
    """Before Kafka is told, the same command moves it; after that, it is moved."""
    move = GroupOnTopic.move_to

    def killed(self: GroupOnTopic, offsets: dict[int, int]) -> None:
        if kafka_knows:
            move(self, offsets)
        raise KeyboardInterrupt

    monkeypatch.setattr(GroupOnTopic, "move_to", killed)
    with pytest.raises(KeyboardInterrupt):
        reconsume.start("beginning", **ORDER)
    monkeypatch.setattr(GroupOnTopic, "move_to", move)
    if kafka_knows:
        with pytest.raises(CutlineError, match=f"group {group} reads {topic} again since"):
            reconsume.start("beginning", **ORDER)
        assert (reconsume.status().status, reconsume.status().left) == ("begun", 7)
    else:
        assert reconsume.start("beginning", **ORDER).status == "moved"
    assert progress(kafka_broker, group, topic) == {0: 0, 1: 0}
    assert reconsume.cancel().status == "cancelled"
    assert progress(kafka_broker, group, topic) == {0: 5, 1: 2}


def test_what_cannot_be_read_again(
    kafka_broker: KafkaBroker, reconsume: cutline.GroupReconsume, topic: str
) -> None:
    for since, message in (
        ("2999-01-01T00:00:00Z", "is in the future"),
        (NOON + dt.timedelta(hours=1), "nothing would be delivered again"),
        ("2026-11-01", "is no moment with a zone"),
        ("yesterday", "is no moment with a zone"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            reconsume.plan(since)
    admin, place = kafka_broker.admin(), TopicPartition(topic, 0, 2)
    admin.delete_records([place])[place].result(30)
    with pytest.raises(ConfigurationError, match="may no longer hold all since") as refused:
        reconsume.plan(NOON - dt.timedelta(minutes=10))
    assert "before offset 2" in refused.value.what
    assert reconsume.plan("beginning").records == 5
    # All that was removed is older than that.
    assert reconsume.plan(NOON + dt.timedelta(minutes=3)).records == 2


def test_the_commands(
    kafka_broker: KafkaBroker,
    reconsume: cutline.GroupReconsume,
    group: str,
    topic: str,
    command_line: CommandLine,
) -> None:
    def run(step: str, *options: str) -> Any:
        place = ("--topic", topic, "--project", reconsume.folder)
        return command_line("reconsume", step, group, *place, *options)

    planned = run("plan", "--from", "beginning")
    assert planned.returncode == 0, planned.stderr
    assert "planned, 7 records again, 7 offsets left" in planned.stdout
    assert "6 of them do not say that they are history" in planned.stdout
    started = run("start", "--from", "beginning", "--owner", "Anna", "--why", "?", "--json")
    assert started.returncode == 0, started.stderr
    assert json.loads(started.stdout)["status"] == "moved"
    assert run("finish").returncode == 1
    assert run("status").returncode == 0
    assert run("cancel").returncode == 0
    assert progress(kafka_broker, group, topic) == {0: 5, 1: 2}
