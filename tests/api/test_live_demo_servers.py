"""What `live_demo` finds on its servers: nothing is touched that it has not made, and all is removed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from cutline import ConfigurationError, LiveDemoResult, clean_live_demo, live_demo
from cutline.api.on_servers.connect import Connect
from support.servers.connect import ConnectWorker
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.kafka, pytest.mark.debezium]

NUMBERS = itertools.count(1)
Begin = Callable[[], LiveDemoResult]


class KilledError(BaseException):
    """What ends a process in the midst."""


@pytest.fixture
def name(postgres_server: PostgresServer) -> Iterator[str]:
    """A name of this test's own, whose database is removed where the test fails."""
    of_the_test = f"refused_{postgres_server.port}_{next(NUMBERS)}"
    yield of_the_test
    postgres_server.drop_database(of_the_test)


@pytest.fixture
def begin(
    tmp_path: Path,
    name: str,
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    connect_worker: ConnectWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> Begin:
    """Begins the demo of this name, without a session of Spark."""
    monkeypatch.setenv("LIVE_DEMO_PASSWORD", postgres_server.password)
    monkeypatch.setattr("cutline.spark.session.start_early", lambda _: None)
    address = f"127.0.0.1:{postgres_server.port}/postgres"
    return lambda: live_demo(
        tmp_path / "demo",
        postgres=f"postgresql://{postgres_server.user}:${{LIVE_DEMO_PASSWORD}}@{address}",
        kafka=kafka_broker.bootstrap,
        connect=f"http://127.0.0.1:{connect_worker.port}",
        name=name,
        orders=100,
    )


def databases(server: PostgresServer, name: str) -> list[tuple[int]]:
    """The identity of the database of that name, if there is one."""
    with psycopg.connect(server.url()) as admin:
        sql = "SELECT oid::bigint FROM pg_database WHERE datname = %s"
        return admin.execute(sql, (name,)).fetchall()


def test_a_database_that_it_has_not_made_is_refused_and_stays(
    begin: Begin, name: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    postgres_server.execute(f"CREATE DATABASE {name}")
    postgres_server.execute("CREATE TABLE ledger (id int)", name)
    with pytest.raises(ConfigurationError, match=f"has a database {name} that this demo has not"):
        begin()
    assert not (tmp_path / "demo").exists()
    postgres_server.execute("INSERT INTO ledger VALUES (1)", name)


def test_a_topic_that_it_has_not_made_is_refused_and_stays(
    begin: Begin, name: str, kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    topic = kafka_broker.create_topic(f"{name}.fulfilment.exceptions")
    with pytest.raises(ConfigurationError, match=f"has a topic {topic} that this demo has not"):
        begin()
    assert not (tmp_path / "demo").exists()
    assert topic in kafka_broker.topics()


def test_what_was_killed_is_removed_whole_and_a_folder_without_it_is_named(
    begin: Begin,
    name: str,
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It dies when its database and topics are there, and its connector is not."""

    def die(*_: object) -> None:
        raise KilledError

    monkeypatch.setattr(Connect, "configure", die)
    with pytest.raises(KilledError):
        begin()
    loaded = databases(postgres_server, name)
    with pytest.raises(KilledError):
        begin()
    # Who comes after it goes on with the database that is loaded.
    assert len(loaded) == 1
    assert databases(postgres_server, name) == loaded
    assert [topic for topic in kafka_broker.topics() if topic.startswith(f"{name}.")]
    cleaned = clean_live_demo(tmp_path / "demo")
    assert f"database {name}, with its publication" in cleaned.removed
    assert [topic for topic in kafka_broker.topics() if topic.startswith(f"{name}.")] == []
    assert databases(postgres_server, name) == []
    with pytest.raises(ConfigurationError, match="holds no live demo"):
        clean_live_demo(tmp_path / "demo")
