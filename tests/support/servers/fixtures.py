"""The servers as fixtures: one of each for a whole test run, but databases, one for each worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.servers.connect import ConnectWorker, start_connect
from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker, start_kafka
from support.servers.mariadb import MariadbServer, start_mariadb
from support.servers.postgres import PostgresServer, start_postgres
from support.servers.registry import SchemaRegistry, start_registry
from support.servers.sharing import of_the_run


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server. Without one on the machine the test is skipped, or fails under .ci/run."""
    server = start_postgres()
    yield server
    server.folder.close()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database of this test's own."""
    name = postgres_server.create_database()
    yield postgres_server.url(name)
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariadbServer]:
    """The server. Without one on the machine the test is skipped, or fails under .ci/run."""
    server = start_mariadb()
    yield server
    server.folder.close()


@pytest.fixture
def mariadb_url(mariadb_server: MariadbServer) -> Iterator[str]:
    """The URL of an empty database of this test's own."""
    name = mariadb_server.create_database()
    yield mariadb_server.url(name)
    mariadb_server.execute(f"DROP DATABASE `{name}`")


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """The broker of all workers: never to be stopped or paused (`start_kafka` gives one that may be),
    and topics need names of their own."""
    with of_the_run("kafka", start_kafka, tmp_path_factory.getbasetemp()) as broker:
        yield broker


@pytest.fixture(scope="module")
def other_broker() -> Iterator[KafkaBroker]:
    """A cluster of its own, beside that of `kafka_broker`."""
    broker = start_kafka()
    yield broker
    broker.folder.close()


@pytest.fixture(scope="session")
def connect_worker(
    kafka_broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConnectWorker]:
    """Kafka Connect for all workers: never to be stopped or paused."""
    base = tmp_path_factory.getbasetemp()
    with of_the_run("connect", lambda: start_connect(kafka_broker), base) as worker:
        yield worker


@pytest.fixture
def debezium(
    connect_worker: ConnectWorker, postgres_server: PostgresServer, postgres_url: str
) -> Iterator[Debezium]:
    """Makes connectors of the database of `postgres_url`, which end with the test."""
    connectors = Debezium(connect_worker, postgres_server, postgres_url.rsplit("/", 1)[1])
    yield connectors
    connectors.close()


@pytest.fixture(scope="session")
def schema_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SchemaRegistry]:
    """The registry of all workers: never to be stopped or paused."""
    with of_the_run("registry", start_registry, tmp_path_factory.getbasetemp()) as registry:
        yield registry
