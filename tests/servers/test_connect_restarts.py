"""A worker of Connect that is killed goes on where its positions were written last."""

from __future__ import annotations

import json

import psycopg
import pytest

from support.servers.connect import start_connect
from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.debezium]


def test_what_is_written_while_it_is_dead_arrives(
    kafka_broker: KafkaBroker, postgres_server: PostgresServer, postgres_url: str
) -> None:
    worker = start_connect(kafka_broker)
    debezium = Debezium(worker, postgres_server, postgres_url.rsplit("/", 1)[1])
    try:
        with psycopg.connect(postgres_url, autocommit=True) as erp:
            erp.execute("CREATE TABLE stock (sku int PRIMARY KEY)")
            connector = debezium.connector(["public.stock"])
            erp.execute("INSERT INTO stock VALUES (1)")
            worker.process.kill()
            erp.execute("INSERT INTO stock VALUES (2)")
            worker.start_again()
            connector.wait_until_streaming()
            erp.execute("INSERT INTO stock VALUES (3)")
        connector.wait_until_caught_up()
        changes = [
            json.loads(m.value() or b"") for m in kafka_broker.read(connector.topic("stock"))
        ]
        # What had not been confirmed may come again, or from a snapshot that begins anew.
        assert {change["after"]["sku"] for change in changes} == {1, 2, 3}
        connector.restart()
        debezium.close()
    finally:
        worker.folder.close()
