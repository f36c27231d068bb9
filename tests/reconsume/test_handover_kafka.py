"""A service on a real broker gets a handler more, and the past of its topic with it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import Consumer, TopicPartition
from sqlalchemy import Engine, create_engine, func, inspect, make_url, select, text

import cutline
from cutline.consumer import ConsumerError, Retries
from cutline.consumer.handover import Handover, LiveHandler, run_catch_up
from cutline.errors import ConfigurationError, CutlineError
from cutline.topics.kafka.group import GroupOnTopic
from support.command_line import CommandLine
from support.group_progress import commit, member, progress, project_on
from support.handing_over import (
    FIELDS,
    JOURNAL,
    SERVED,
    add,
    order_record,
    orders_database,
    serve,
    times_of,
)
from support.paths import ROOT
from support.published import new_name
from support.servers.kafka import KafkaBroker, Record

pytestmark = pytest.mark.kafka
PARTITIONS = 3
ORDER: dict[str, Any] = {"owner": "Anna", "why": "ticket 17"}


@pytest.fixture
def topic(kafka_broker: KafkaBroker) -> str:
    return kafka_broker.create_topic(new_name("orders"), PARTITIONS)


@pytest.fixture
def group() -> str:
    """The group of the service; other tests have theirs on the same broker."""
    return new_name("order-desk")


def declared(
    broker: KafkaBroker, group: str, folder: Path, url: str, **changes: Any
) -> cutline.Project:
    """A project on the broker which declares the service."""
    project_on(broker, folder)
    if (password := make_url(url).password) is not None:
        (folder / "password").write_text(str(password), encoding="utf-8")
        url = url.replace(f":{password}@", ":${file:password}@")
    file = folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    fields = {table: list(columns) for table, columns in FIELDS.items()}
    section = {"url": url, "fields": fields, "tables": ["journal"], **changes}
    document["handovers"] = {group: section}
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder)


def produce(broker: KafkaBroker, topic: str, numbers: range) -> None:
    """Records of thirty orders in turn, each order in one partition."""
    records = [Record(f"o-{n % 30}".encode(), b"{}", (), n % 30 % PARTITIONS) for n in numbers]
    broker.produce(topic, records)


def started(
    broker: KafkaBroker, group: str, topic: str, folder: Path
) -> tuple[Engine, cutline.GroupHandover]:
    """The database of a service that has read ten of thirty records, and its handover, begun."""
    url = f"sqlite:///{folder}/service.db"
    engine = orders_database(url)
    produce(broker, topic, range(30))
    commit(broker, group, topic, {0: 10})
    handover = declared(broker, group, folder, url).handover(group, topic=topic)
    handover.start("beginning", **ORDER)
    return engine, handover


class Processes:
    """Processes of the service and of its catch-up, with one database."""

    def __init__(self, broker: KafkaBroker, url: str, group: str, topic: str) -> None:
        self._arguments = [broker.bootstrap, url, group, topic]
        self._engine = create_engine(url)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, part: str, **settings: str) -> subprocess.Popen[str]:
        script = Path(ROOT, "tests", "support", "order_service.py")
        process = subprocess.Popen(
            [sys.executable, str(script), part, *self._arguments, json.dumps(settings)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.running.append(process)
        return process

    def start_static(self, part: str) -> subprocess.Popen[str]:
        """One that has its partitions at once when it is started again behind a kill."""
        name = {"group.instance.id": part, "session.timeout.ms": "6000"}
        return self.start(part, **name)

    def stop(self, process: subprocess.Popen[str]) -> str:
        process.send_signal(signal.SIGTERM)
        written, _ = process.communicate(timeout=60)
        # One that has not begun ends by the signal itself.
        assert process.returncode in (0, -signal.SIGTERM)
        return written

    def kill(self, process: subprocess.Popen[str]) -> None:
        assert process.poll() is None, "it was at its end"
        process.kill()
        process.communicate(timeout=60)

    def records(self, table: Any) -> int:
        with self._engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(table)).scalar_one())

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                self.kill(process)


def wait_for(reached: Callable[[], bool], message: str) -> None:
    end = time.monotonic() + 120
    while not reached():
        assert time.monotonic() < end, message
        time.sleep(0.05)


def bounded() -> Callable[[], bool]:
    """Asked whenever nothing comes, and never true: a catch-up that does not end fails the test."""
    end = time.monotonic() + 120

    def idle() -> bool:
        assert time.monotonic() < end, "the catch-up does not end"
        return False

    return idle


def refusal(step: Callable[[], object]) -> str:
    """Why a gate says no to a step."""
    with pytest.raises(CutlineError) as refused:
        step()
    assert refused.value.exit_code == 1
    return refused.value.what


@pytest.fixture(
    params=[
        pytest.param("sqlite", marks=pytest.mark.soak),
        pytest.param("postgres", marks=pytest.mark.postgres),
    ]
)
def service_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The database of the service, with its tables."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/service.db"
    else:
        url = request.getfixturevalue("postgres_url").replace("postgresql:", "postgresql+psycopg:")
    orders_database(url).dispose()
    return url


@pytest.mark.slow
@pytest.mark.process
def test_each_record_once_whoever_dies(
    kafka_broker: KafkaBroker, group: str, topic: str, service_url: str, tmp_path: Path
) -> None:
    """The service goes on while its past is read. Both are killed at each stage, a second one of
    each joins and is killed or leaves, and the service is put back to its old version once."""
    produce(kafka_broker, topic, range(900))
    processes = Processes(kafka_broker, service_url, group, topic)
    engine = create_engine(service_url)
    handover = declared(kafka_broker, group, tmp_path, service_url).handover(group, topic=topic)
    produced = 900

    def send(number: int) -> None:
        nonlocal produced
        produce(kafka_broker, topic, range(produced, produced + number))
        produced += number

    def handed_over() -> int:
        return sum(p.handed_over_at is not None for p in handover.status().partitions)

    def caught_up_with(records: int) -> bool:
        return processes.records(JOURNAL) >= records

    try:
        plain = processes.start("plain")
        wait_for(lambda: processes.records(SERVED) > 300, "the service does nothing")
        started = handover.start("beginning", **ORDER)
        assert {p.state for p in started.partitions} == {"waits-for-wrapper"}
        # While the service is exchanged both its versions are members.
        wrapped, second = processes.start_static("wrapped"), processes.start("wrapped")
        catching = processes.start_static("catch-up")
        processes.stop(plain)
        wait_for(lambda: caught_up_with(60), "the past is not read")
        for records in (150, 300):
            wait_for(partial(caught_up_with, records), "the past is not read")
            send(50)
            processes.kill(catching)
            processes.kill(wrapped)
            wrapped, second_catch_up = (
                processes.start_static("wrapped"),
                processes.start("catch-up"),
            )
            catching = processes.start_static("catch-up")
            wait_for(partial(caught_up_with, records + 60), "nobody goes on")
            processes.kill(second_catch_up)
        processes.stop(second)
        wait_for(lambda: handed_over() > 0, "nothing is handed over")
        if catching.poll() is None:
            # Else it was quicker, and all three are handed over.
            processes.kill(catching)
        processes.kill(wrapped)
        send(100)
        wrapped, catching = processes.start_static("wrapped"), processes.start_static("catch-up")
        assert catching.communicate(timeout=120)[0] == "over\n"
        assert handed_over() == PARTITIONS
        send(100)
        wait_for(lambda: processes.records(SERVED) == produced, "the service is behind")
        assert all_once(engine, produced)
        # The new version is put back, and comes again: nobody has given these to the added handler.
        processes.stop(wrapped)
        plain = processes.start("plain")
        send(100)
        wait_for(lambda: processes.records(SERVED) == produced, "the service is behind")
        processes.stop(plain)
        assert {p.state for p in handover.status().partitions} == {"without-wrapper"}
        assert "3 of 3 partitions" in refusal(handover.finish)
        wrapped = processes.start_static("wrapped")
        again = ["reads"] * PARTITIONS
        wait_for(
            lambda: [p.state for p in handover.status().partitions] == again, "it is not open again"
        )
        catching = processes.start("catch-up")
        send(60)
        assert catching.communicate(timeout=120)[0] == "over\n"
        processes.kill(wrapped)
        wrapped = processes.start_static("wrapped")
        send(60)
        wait_for(lambda: processes.records(SERVED) == produced, "the service is behind")
        assert all_once(engine, produced)
        # A static member that was killed is one until its session is over.
        wait_for(lambda: not handover_members(kafka_broker, handover), "still members")
        assert handover.finish().status == "finished"
        send(60)
        wait_for(lambda: processes.records(SERVED) == produced, "the service is behind")
        processes.stop(wrapped)
        assert handover.finish(remove_tables=True).status == "finished"
        with_both_handlers = processes.start("both")
        send(60)
        wait_for(lambda: processes.records(JOURNAL) == produced, "the service is behind")
        processes.stop(with_both_handlers)
        assert all_once(engine, produced)
    finally:
        processes.end()
    assert not inspect(engine).has_table("cutline_handovers")
    admin = kafka_broker.admin()
    names = [listed.group_id for listed in admin.list_consumer_groups().result(30).valid]
    assert [name for name in names if name.startswith(group)] == [group]


def all_once(engine: Engine, number: int) -> bool:
    """Whether each of so many records was with each handler once."""
    times = times_of(engine)
    return len(times.added) == number and {*times.added.values(), *times.served.values()} == {1}


def handover_members(broker: KafkaBroker, handover: cutline.GroupHandover) -> int:
    """The members of the group that reads the past."""
    name = handover.status().catch_up_group
    assert name is not None
    admin = broker.admin()
    return len(admin.describe_consumer_groups([name])[name].result(30).members)


def test_beside_a_service(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    """It is idle for the moment in which its place is written down, and has both handlers then."""
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    produce(kafka_broker, topic, range(60))
    commit(kafka_broker, group, topic, {0: 20, 1: 20, 2: 0})
    handover = declared(kafka_broker, group, tmp_path, url).handover(group, topic=topic)
    with (
        member(kafka_broker, group, topic),
        pytest.raises(CutlineError, match="has 1 members"),
    ):
        handover.start("beginning", way="beside", **ORDER)
    planned = handover.plan("beginning", way="beside")
    assert [p.left for p in planned.partitions] == [20, 20, 0]
    assert [warning.split(":")[0] for warning in planned.warnings] == [
        "two processes handle records of one key at once",
        f"group {group} is 20 offsets behind",
    ]
    started = handover.start("beginning", way="beside", **ORDER)
    assert [p.state for p in started.partitions] == ["reads", "reads", "handed-over"]
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    assert run_catch_up(Handover(engine, group, topic), add, settings, until=bounded())
    assert set(times_of(engine).added) == {(p, o) for p in (0, 1) for o in range(20)}
    assert handover.status().open == 0
    assert handover.finish().status == "finished"
    assert not inspect(engine).has_table("cutline_handovers")


def test_idle_partitions_are_handed_over_at_their_end(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    kafka_broker.produce(topic, [Record(b"o-1", b"{}", (), 0), Record(b"o-2", b"{}", (), 1)])
    with engine.begin() as connection:
        for partition in (0, 1):
            serve(order_record(0, f"o-{partition + 1}", partition=partition), connection)
    commit(kafka_broker, group, topic, {0: 1, 1: 1})
    project = declared(kafka_broker, group, tmp_path, url).handover(group, topic=topic)
    project.start("beginning", **ORDER)
    handover = Handover(engine, group, topic)
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    looks = iter(range(4))
    assert not run_catch_up(handover, add, settings, until=lambda: next(looks, None) is None)
    assert [p.state for p in project.status().partitions] == ["waits-for-wrapper"] * PARTITIONS
    live = LiveHandler(handover, serve, add)
    for partition, end in ((0, 1), (1, 1), (2, 0)):
        live.assigned(partition, end, end)
    assert run_catch_up(handover, add, settings, until=bounded())
    assert [p.handed_over_at for p in project.status().partitions] == [1, 1, 0]
    assert times_of(engine).added == {(0, 0): 1, (1, 0): 1}


def test_a_catch_up_goes_on_in_a_partition_that_is_open_again(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    """It is at work for others yet when a process without the wrapper has had one."""
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    records = [order_record(n, "o-1", topic=topic) for n in range(5)]
    kafka_broker.produce(topic, [Record(b"o-1", b"", (), 0) for _ in records])
    commit(kafka_broker, group, topic, {0: 3})
    project = declared(kafka_broker, group, tmp_path, url).handover(group, topic=topic)
    project.start("beginning", **ORDER)
    handover = Handover(engine, group, topic)

    def serve_all(numbers: range) -> None:
        with engine.begin() as connection:
            for number in numbers:
                serve(records[number], connection)

    serve_all(range(3))
    LiveHandler(handover, serve, add).assigned(0, 3, 5)

    idle = bounded()

    def opened_again() -> Iterator[bool]:
        while handover.open_partitions() != {1, 2}:
            yield idle()
        serve_all(range(3, 5))
        commit(kafka_broker, group, topic, {0: 5})
        live = LiveHandler(handover, serve, add)
        live.assigned(0, 5, 5)
        assert handover.open_partitions() == {0, 1, 2}
        while len(times_of(engine).added) < 5:
            yield idle()
        for partition in (1, 2):
            live.assigned(partition, 0, 0)
        while True:
            yield idle()

    steps = opened_again()
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    assert run_catch_up(handover, add, settings, until=lambda: next(steps))
    assert times_of(engine).added == {(0, offset): 1 for offset in range(5)}
    assert [p.handed_over_at for p in project.status().partitions] == [5, 0, 0]


def test_a_record_that_the_added_handler_cannot_do(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path, command_line: CommandLine
) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    records = [Record(f"o-{n}".encode(), b"{}", (), 0) for n in range(5)]
    kafka_broker.produce(topic, records)
    commit(kafka_broker, group, topic, {0: 5})
    project = declared(kafka_broker, group, tmp_path, url).handover(group, topic=topic)
    reading = project.start("beginning", **ORDER).catch_up_group
    assert reading is not None
    handover = Handover(engine, group, topic)

    def broken(record: Any, added: Any) -> None:
        if record.offset == 3:
            raise ValueError("no amount")
        add(record, added)

    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    retries = Retries(attempts=2, first=0.0, longest=0.0)
    with pytest.raises(ConsumerError, match="offset 3: the added handler cannot do") as failed:
        run_catch_up(handover, broken, settings, retries=retries, until=bounded())
    assert "ValueError: no amount" in failed.value.what_failed
    assert f"cutline unblock {reading} --topic {topic}" in failed.value.next_step
    assert set(times_of(engine).added) == {(0, 0), (0, 1), (0, 2)}
    # As behind a kill: Kafka was not told how far the catch-up is, and the next process fails at
    # its first record.
    commit(kafka_broker, reading, topic, {0: 1})
    with pytest.raises(ConsumerError, match="offset 3: the added handler cannot do"):
        run_catch_up(handover, broken, settings, retries=retries, until=bounded())
    parked = command_line(
        *("unblock", reading, "--topic", topic, "--park", "0:3", "--owner", "Anna"),
        *("--why", "no amount", "--project", tmp_path),
    )
    assert parked.returncode == 0, parked.stderr
    live = LiveHandler(handover, serve, add)
    for partition, end in ((0, 5), (1, 0), (2, 0)):
        live.assigned(partition, end, end)
    assert run_catch_up(handover, broken, settings, retries=retries, until=bounded())
    assert set(times_of(engine).added) == {(0, 0), (0, 1), (0, 2), (0, 4)}


def test_a_catch_up_is_stopped_while_it_tries_again(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    engine, _ = started(kafka_broker, group, topic, tmp_path)

    def stopped(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        raise ValueError("no amount")

    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    assert not run_catch_up(Handover(engine, group, topic), stopped, settings, until=bounded())
    with pytest.raises(ConsumerError, match=r"group\.id is 'mine', and must be"):
        run_catch_up(Handover(engine, group, topic), add, {**settings, "group.id": "mine"})
    with pytest.raises(ValueError, match="batch and per_second are above 0"):
        run_catch_up(Handover(engine, group, topic), add, settings, batch=0)
    assert times_of(engine).added == {}


def test_a_topic_that_was_made_anew(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    engine, project = started(kafka_broker, group, topic, tmp_path)
    kafka_broker.delete_topic(topic)
    kafka_broker.create_topic(topic, PARTITIONS)
    with pytest.raises(CutlineError, match="was made anew since the handover"):
        project.status()
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    produce(kafka_broker, topic, range(90))
    on_assign = LiveHandler(Handover(engine, group, topic), serve, add).on_assign(settings)
    client = Consumer({**settings, "group.id": group})
    # It is longer than what was read of the one before.
    with pytest.raises(ConsumerError, match="its offsets are of another topic"):
        on_assign(client, [TopicPartition(topic, 0)])
    client.close()
    with pytest.raises(ConsumerError, match="its offsets are of another topic"):
        run_catch_up(Handover(engine, group, topic), add, settings, until=bounded())
    assert project.cancel().status == "cancelled"
    assert project.finish(remove_tables=True).status == "cancelled"
    assert not project.is_under_way()
    # The catch-up of before has no rows any more.
    with pytest.raises(ConsumerError, match="or it is over"):
        run_catch_up(Handover(engine, group, topic), add, settings, until=bounded())


def test_a_topic_that_is_gone(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    _, project = started(kafka_broker, group, topic, tmp_path)
    kafka_broker.delete_topic(topic)
    assert f"topic {topic} is gone since the handover" in refusal(project.status)
    assert project.cancel().status == "cancelled"
    assert project.finish(remove_tables=True).status == "cancelled"


def test_a_database_that_was_put_back(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    """Kafka has the group of the catch-up where it came to; what the database lost is done again."""
    file = tmp_path / "service.db"
    engine = orders_database(f"sqlite:///{file}")
    records = [order_record(n, "o-1", topic=topic) for n in range(10)]
    kafka_broker.produce(topic, [Record(b"o-1", b"", (), 0) for _ in records])
    with engine.begin() as connection:
        for record in records:
            serve(record, connection)
    commit(kafka_broker, group, topic, {0: 10})
    project = declared(kafka_broker, group, tmp_path, str(engine.url)).handover(group, topic=topic)
    reading = project.start("beginning", **ORDER).catch_up_group
    assert reading is not None
    with sqlite3.connect(tmp_path / "backup.db") as backup, sqlite3.connect(file) as live:
        live.backup(backup)
    handover, settings = (
        Handover(engine, group, topic),
        {"bootstrap.servers": kafka_broker.bootstrap},
    )
    ended = iter(range(4))
    assert not run_catch_up(handover, add, settings, until=lambda: next(ended, None) is None)
    assert len(times_of(engine).added) == 10
    assert progress(kafka_broker, reading, topic)[0] == 10
    with sqlite3.connect(tmp_path / "backup.db") as backup, sqlite3.connect(file) as live:
        backup.backup(live)
    assert times_of(engine).added == {}
    wrapper = LiveHandler(handover, serve, add)
    for partition, end in ((0, 10), (1, 0), (2, 0)):
        wrapper.assigned(partition, end, end)
    assert run_catch_up(handover, add, settings, until=bounded())
    assert times_of(engine).added == {(0, offset): 1 for offset in range(10)}


def test_what_retention_removed_meanwhile(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    engine, _ = started(kafka_broker, group, topic, tmp_path)
    admin, place = kafka_broker.admin(), TopicPartition(topic, 0, 4)
    admin.delete_records([place])[place].result(30)
    settings = {"bootstrap.servers": kafka_broker.bootstrap}
    with pytest.raises(ConsumerError, match="position is not there any more") as failed:
        run_catch_up(Handover(engine, group, topic), add, settings, until=bounded())
    assert "Cancel the handover, finish it, and start one from a later moment" in str(failed.value)
    assert times_of(engine).added == {}


@pytest.mark.parametrize("step", ["move_to", "topic_id"])
def test_who_is_killed_while_it_starts_is_gone_on_with(
    kafka_broker: KafkaBroker,
    group: str,
    topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    produce(kafka_broker, topic, range(30))
    commit(kafka_broker, group, topic, {0: 10})
    handover = declared(kafka_broker, group, tmp_path, url).handover(group, topic=topic)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(GroupOnTopic, step, killed)
        with pytest.raises(KeyboardInterrupt):
            handover.start("beginning", **ORDER)
    assert handover.is_under_way() == (step == "move_to")
    if step == "move_to":
        assert handover.status().status == "begun"
        with pytest.raises(ConsumerError, match="or it is over"):
            Handover(engine, group, topic)
    # What was begun was used by nobody: it is begun anew, with what is said now.
    commit(kafka_broker, group, topic, {0: 10, 1: 4})
    started = handover.start("beginning", way="beside", owner="Bea", why="ticket 18")
    assert (started.status, started.way, started.owner) == ("started", "beside", "Bea")
    assert [p.handed_over_at for p in started.partitions] == [10, 4, 0]
    assert "since" in refusal(lambda: handover.start("beginning", **ORDER))
    with monkeypatch.context() as patched:
        # The group is gone, and the rows are not.
        patched.setattr("cutline.reconsume.handover.moving.remove_handover", killed)
        handover.cancel()
        assert "which is cancelled" in refusal(lambda: handover.start("beginning", **ORDER))
        with pytest.raises(KeyboardInterrupt):
            handover.finish()
    assert handover.finish().status == "cancelled"
    assert not inspect(engine).has_table("cutline_handovers")


def test_what_cannot_be_begun(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    engine = orders_database(url)
    produce(kafka_broker, topic, range(30))
    commit(kafka_broker, group, topic, {0: 10})

    def refused(since: str = "beginning", place: str = url, **changes: Any) -> str:
        project = declared(kafka_broker, group, tmp_path, place, **changes)
        with pytest.raises(ConfigurationError) as failed:
            project.handover(group, topic=topic).start(since, **ORDER)
        return failed.value.what

    assert "is in the future" in refused("2999-01-01T00:00:00Z")
    assert "is no moment with a zone" in refused("yesterday")
    assert "has no table order. Did you mean 'orders'" in refused(fields={"order": ["added"]})
    assert "column adde is not there. Did you mean 'added'" in refused(fields={"orders": ["adde"]})
    assert "column id is of its primary key" in refused(fields={"orders": ["id"]})
    assert "there is no file" in refused(place=f"sqlite:///{tmp_path}/nowhere.db")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE notes (line text)"))
        connection.execute(text("CREATE TABLE lines (id int PRIMARY KEY, o REFERENCES orders)"))
    assert "table notes has no primary key" in refused(tables=["notes"])
    project = declared(kafka_broker, group, tmp_path, url, tables=["lines"])
    with pytest.raises(ConfigurationError, match=r"handovers in cutline\.yaml has no group 'desk'"):
        project.handover("desk", topic=topic).plan("beginning")
    planned = project.handover(group, topic=topic).plan("beginning")
    assert planned.warnings[0].startswith("lines.o references orders: what a record of the past")
    assert not inspect(engine).has_table("cutline_handovers")


def test_one_way_at_a_time(
    kafka_broker: KafkaBroker, group: str, topic: str, tmp_path: Path, command_line: CommandLine
) -> None:
    url = f"sqlite:///{tmp_path}/service.db"
    orders_database(url)
    produce(kafka_broker, topic, range(30))
    commit(kafka_broker, group, topic, {0: 10})
    project = declared(kafka_broker, group, tmp_path, url)

    def run(step: str, *options: str) -> Any:
        place = ("--topic", topic, "--project", tmp_path)
        return command_line("reconsume", step, group, *place, *options)

    begin = ("--from", "beginning", "--owner", "Anna", "--why", "ticket 17")
    assert run("start", *begin).returncode == 0
    refused = run("start", *begin, "--way", "handover")
    assert (refused.returncode, f"group {group} reads {topic} again" in refused.stderr) == (1, True)
    assert run("cancel").returncode == 0
    planned = run("plan", "--from", "beginning", "--way", "handover")
    assert planned.returncode == 0, planned.stderr
    assert "handover: planned, 10 offsets left, 3 of 3 partitions open" in planned.stdout
    assert run("plan", "--from", "beginning", "--way", "beside", "--export", "x").returncode == 2
    assert run("plan", "--from", "beginning", "--way", "sideways").returncode == 2
    started = run("start", *begin, "--way", "handover")
    assert started.returncode == 0, started.stderr
    assert f"and the catch-up in group {group}-catch-up-" in started.stdout
    refused = run("start", *begin)
    assert (refused.returncode, "has a handover on" in refused.stderr) == (1, True)
    followed = run("status", "--json")
    assert followed.returncode == 0, followed.stderr
    document = json.loads(followed.stdout)
    assert (document["status"], document["left"], document["open"]) == ("started", 10, 3)
    unfinished = run("finish")
    assert unfinished.returncode == 1
    assert f"3 of 3 partitions of {topic} are not handed over" in unfinished.stderr
    cancelled = run("cancel")
    assert (cancelled.returncode, "cancelled, 10 offsets left" in cancelled.stdout) == (0, True)
    finished = run("finish")
    assert finished.returncode == 0, finished.stderr
    assert "take the wrapper off the service, then cutline reconsume finish" in finished.stdout
    assert run("finish", "--remove-tables").returncode == 0
    assert run("finish", "--remove-tables").returncode == 2
    assert run("finish").returncode == 1
    assert not project.handover(group, topic=topic).is_under_way()
