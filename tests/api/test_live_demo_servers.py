"""What `live_demo` finds on its servers: nothing is touched that it has not made, and all is removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from cutline import ConfigurationError, clean_live_demo
from cutline.api.on_servers.connect import Connect
from cutline.api.on_servers.database import DemoDatabase
from support.ended import Killed
from support.live_demos import LiveDemoServers, live_demo_servers
from support.servers.connect import ConnectWorker
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.kafka, pytest.mark.debezium]

ORDERS = 100


@pytest.fixture
def servers(
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    connect_worker: ConnectWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LiveDemoServers]:
    """Servers on which a demo begins without a session of Spark."""
    monkeypatch.setattr("cutline.spark.session.start_early", lambda _: None)
    with live_demo_servers(postgres_server, kafka_broker, connect_worker, monkeypatch) as servers:
        yield servers


def databases(servers: LiveDemoServers) -> list[tuple[int]]:
    """The identity of the database of the demo's name, if there is one."""
    with psycopg.connect(servers.postgres.url()) as admin:
        sql = "SELECT oid::bigint FROM pg_database WHERE datname = %s"
        return admin.execute(sql, (servers.name,)).fetchall()


def test_a_database_that_it_has_not_made_is_refused_and_stays(
    servers: LiveDemoServers, tmp_path: Path
) -> None:
    name = servers.name
    servers.postgres.execute(f"CREATE DATABASE {name}")
    servers.postgres.execute("CREATE TABLE ledger (id int)", name)
    with pytest.raises(ConfigurationError, match=f"has a database {name} that this demo has not"):
        servers.begin(tmp_path / "demo", ORDERS)
    assert not (tmp_path / "demo").exists()
    servers.postgres.execute("INSERT INTO ledger VALUES (1)", name)


def test_a_topic_that_it_has_not_made_is_refused_and_stays(
    servers: LiveDemoServers, tmp_path: Path
) -> None:
    topic = servers.kafka.create_topic(f"{servers.name}.fulfilment.exceptions")
    with pytest.raises(ConfigurationError, match=f"has a topic {topic} that this demo has not"):
        servers.begin(tmp_path / "demo", ORDERS)
    assert not (tmp_path / "demo").exists()
    assert topic in servers.topics()


def test_what_was_killed_is_removed_whole_and_a_folder_without_it_is_named(
    servers: LiveDemoServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies when its database and topics are there, and its connector is not."""

    def die(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(Connect, "configure", die)
    folder = tmp_path / "demo"
    with pytest.raises(Killed):
        servers.begin(folder, ORDERS)
    loaded = databases(servers)
    with pytest.raises(Killed):
        servers.begin(folder, ORDERS)
    # Who comes after it goes on with the database that is loaded.
    assert len(loaded) == 1
    assert databases(servers) == loaded
    assert servers.topics()
    cleaned = clean_live_demo(folder)
    assert f"database {servers.name}, with its publication" in cleaned.removed
    assert servers.topics() == []
    assert databases(servers) == []
    with pytest.raises(ConfigurationError, match="holds no live demo"):
        clean_live_demo(folder)


def test_what_was_killed_while_changes_flow_is_removed_with_connector_and_slot(
    servers: LiveDemoServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_slot = DemoDatabase.wait_for_slot

    def die(database: DemoDatabase) -> None:
        wait_for_slot(database)
        raise Killed

    monkeypatch.setattr(DemoDatabase, "wait_for_slot", die)
    folder = tmp_path / "demo"
    with pytest.raises(Killed):
        servers.begin(folder, ORDERS)
    removed = set(clean_live_demo(folder).removed)
    assert {f"connector {servers.name}", f"replication slot {servers.name}"} < removed
    assert servers.topics() == []
    assert databases(servers) == []
