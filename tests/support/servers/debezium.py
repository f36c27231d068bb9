"""Debezium's connectors for PostgreSQL databases, each with a slot, a publication and topics."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg

from support.servers.connect import ConnectWorker
from support.servers.postgres import PostgresServer
from support.servers.process import NotReady, wait_for

_SECONDS = 60
_CAUGHT_UP = "caught-up"
_NUMBERS = itertools.count()


@dataclass
class Connector:
    """A connector that streams: its task runs, and its slot is active."""

    name: str
    """Also the prefix of its topics, and the name of its slot and its publication."""
    database: str
    worker: ConnectWorker
    server: PostgresServer

    @property
    def transactions(self) -> str:
        """The topic of transactions' beginnings and ends."""
        return f"{self.name}.transaction"

    def topic(self, table: str) -> str:
        """The topic of a table, `schema.table`; without a schema that of `public`."""
        return f"{self.name}.{table if '.' in table else f'public.{table}'}"

    def wait_until_streaming(self) -> None:
        """Until the task runs and the slot is active."""
        self.worker.wait_until_running(self.name)

        def active() -> None:
            if self._of_slot("active") is not True:
                raise NotReady(f"the slot {self.name} is not active")

        wait_for(active, _SECONDS)

    def wait_until_caught_up(self, seconds: float = _SECONDS) -> None:
        """Until Kafka has all that had been committed when this was called, acknowledged."""
        with psycopg.connect(self.server.url(self.database), autocommit=True) as connection:
            # An idle database confirms nothing: this one has something to confirm.
            connection.execute("SELECT pg_logical_emit_message(false, %s, '')", (_CAUGHT_UP,))
            row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row is not None
        (target,) = row

        def confirmed() -> None:
            if self._of_slot(f"confirmed_flush_lsn >= '{target}'") is not True:
                raise NotReady(f"the slot {self.name} has not confirmed {target}")

        wait_for(confirmed, seconds)

    def restart(self) -> None:
        """Restarts connector and task: what was sent and not confirmed is sent again."""
        self.worker.restart(self.name)
        self.wait_until_streaming()

    def close(self) -> None:
        """Ends it, and drops its slot."""
        self.worker.delete(self.name)

        def dropped() -> None:
            self.server.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
                f" WHERE slot_name = '{self.name}'"
            )

        wait_for(dropped, _SECONDS)

    def _of_slot(self, expression: str) -> object:
        """None if the slot is not there."""
        with psycopg.connect(self.server.url(self.database)) as connection:
            row = connection.execute(
                f"SELECT {expression} FROM pg_replication_slots WHERE slot_name = %s".encode(),
                (self.name,),
            ).fetchone()
        return row[0] if row else None


@dataclass
class Debezium:
    """Makes connectors of a database, or of others; ends those that it made."""

    worker: ConnectWorker
    server: PostgresServer
    database: str
    connectors: list[Connector] = field(default_factory=list)

    def connector(
        self,
        tables: Sequence[str] = (),
        database: str | None = None,
        name: str | None = None,
        **settings: str,
    ) -> Connector:
        """A connector that streams `schema.table`s, all if none is named, after its snapshot.

        The tables exist already. It sends truncates and transactions' boundaries. `settings` are
        Debezium's, with `_` for a dot; `registry=URL` of Apicurio's API makes records Avro.
        """
        name = name or f"t{os.getpid()}_{next(_NUMBERS)}"
        config = {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "tasks.max": "1",
            "plugin.name": "pgoutput",
            "database.hostname": "127.0.0.1",
            "database.port": str(self.server.port),
            "database.user": self.server.user,
            "database.password": self.server.password,
            "database.dbname": database or self.database,
            "topic.prefix": name,
            "slot.name": name,
            "publication.name": name,
            "publication.autocreate.mode": "filtered",
            "provide.transaction.metadata": "true",
            "skipped.operations": "none",
            "heartbeat.interval.ms": "300",
            "message.prefix.exclude.list": _CAUGHT_UP,
            "poll.interval.ms": "50",
            "topic.creation.default.replication.factor": "1",
            "topic.creation.default.partitions": "1",
        }
        if tables:
            config["table.include.list"] = ",".join(tables)
        registry = settings.pop("registry", None)
        if registry is not None:
            config |= _avro(registry)
        config |= {key.replace("_", "."): value for key, value in settings.items()}
        connector = Connector(name, database or self.database, self.worker, self.server)
        self.connectors.append(connector)
        self.worker.create(name, config)
        connector.wait_until_streaming()
        return connector

    def close(self) -> None:
        """Ends all connectors that are not ended yet."""
        for connector in self.connectors:
            if connector.name in self.worker.connectors:
                connector.close()


def _avro(registry: str) -> dict[str, str]:
    """Keys and values in Avro, as Confluent's own converter writes them."""
    return {
        f"{side}.converter{name}": value
        for side in ("key", "value")
        for name, value in {
            "": "io.apicurio.registry.utils.converter.AvroConverter",
            ".apicurio.registry.url": registry,
            ".apicurio.registry.auto-register": "true",
            ".apicurio.registry.find-latest": "true",
            ".apicurio.registry.as-confluent": "true",
            ".apicurio.registry.use-id": "contentId",
            ".apicurio.registry.headers.enabled": "false",
        }.items()
    }
