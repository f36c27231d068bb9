"""`make services`: all servers for a person, with their addresses and what to try, until Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.servers.connect import ConnectWorker, start_connect
from support.servers.debezium import Debezium
from support.servers.java import java
from support.servers.kafka import KafkaBroker, start_kafka
from support.servers.maven import jars
from support.servers.postgres import PostgresServer, start_postgres
from support.servers.registry import SchemaRegistry, start_registry

DATABASE = "erp"


def main() -> int:
    """2 where something is missing on this machine, 0 after Ctrl-C."""
    # However a person ends this, it ends as by Ctrl-C, which a shell may have switched off.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        try:
            servers = _start(stack)
            print("\n".join(lines(*servers)), flush=True)
            while True:
                signal.pause()
        except KeyboardInterrupt:
            print("\nEnding all of them.", flush=True)
            return 0
        except pytest.skip.Exception as lacking:
            print(f"The servers cannot be started: {lacking}", file=sys.stderr)
            return 2


def _start(
    stack: contextlib.ExitStack,
) -> tuple[PostgresServer, KafkaBroker, ConnectWorker, SchemaRegistry]:
    def say(name: str) -> None:
        print(f"Starting {name} ...", flush=True)

    say("PostgreSQL")
    postgres = start_postgres()
    stack.callback(postgres.folder.close)
    postgres.execute(f"CREATE DATABASE {DATABASE}")
    say("Apache Kafka (its first start fetches the jars by Maven)")
    kafka = start_kafka()
    stack.callback(kafka.folder.close)
    say("the schema registry")
    registry = start_registry()
    stack.callback(registry.folder.close)
    say("Kafka Connect, with Debezium on the database")
    connect = start_connect(kafka)
    stack.callback(connect.folder.close)
    # A table that is made later is streamed, too.
    Debezium(connect, postgres, DATABASE).connector(
        name=DATABASE, publication_autocreate_mode="all_tables"
    )
    return postgres, kafka, connect, registry


def lines(
    postgres: PostgresServer, kafka: KafkaBroker, connect: ConnectWorker, registry: SchemaRegistry
) -> Iterator[str]:
    """The addresses, and commands that work as they are."""
    psql = f"{postgres.program('psql')} {postgres.url(DATABASE)}"
    read = f"{java()} -cp '{jars('kafka')}/*' org.apache.kafka.tools.consumer.ConsoleConsumer"
    yield ""
    yield "All of them are ready:"
    yield f"  PostgreSQL       {postgres.url(DATABASE)}"
    yield f"  Kafka            {kafka.bootstrap}"
    yield f"  Kafka with SASL  {kafka.sasl_bootstrap}  (user cutline, as in tests/support/servers)"
    yield f"  Kafka Connect    http://127.0.0.1:{connect.port}"
    yield f"  Schema registry  {registry.url}"
    yield ""
    yield f"To try: make a table of the database `{DATABASE}`, and see its rows arrive on a topic."
    yield (
        f'  {psql} -c "CREATE TABLE orders (id int PRIMARY KEY, status text)"'
        " -c \"INSERT INTO orders VALUES (1, 'RELEASED')\""
    )
    yield (
        f"  {read} --bootstrap-server {kafka.bootstrap} --topic {DATABASE}.public.orders"
        " --from-beginning --max-messages 1"
    )
    yield f"  curl -s http://127.0.0.1:{connect.port}/connectors/{DATABASE}/status"
    yield f"  curl -s {registry.url}/subjects"
    yield ""
    yield "The retail demo on these servers, while orders go on arriving:"
    yield f"  export CUTLINE_DEMO_PASSWORD={postgres.password}"
    variable = "${CUTLINE_DEMO_PASSWORD}"
    address = f"postgresql://{postgres.user}:{variable}@127.0.0.1:{postgres.port}/postgres"
    live = f"{Path(sys.executable).with_name('cutline')} demo --live --dir live-demo"
    yield (
        f"  {live} --postgres '{address}' --kafka {kafka.bootstrap}"
        f" --connect http://127.0.0.1:{connect.port}"
    )
    yield f"  {live} --clean"
    yield ""
    yield "Ctrl-C ends all of them and removes what they wrote."


if __name__ == "__main__":
    sys.exit(main())
