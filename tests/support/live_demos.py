"""The demo on servers that the tests share: a name for it, and its beginning."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cutline import LiveDemoResult, OnEvent, live_demo
from support.servers.connect import ConnectWorker
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

_NUMBERS = itertools.count(1)
_VARIABLE = "LIVE_DEMO_PASSWORD"


@dataclass(frozen=True)
class LiveDemoServers:
    """Where a demo of this name is put."""

    name: str
    postgres: PostgresServer
    kafka: KafkaBroker
    connect: ConnectWorker

    def begin(
        self, folder: Path, orders: int, *, rate: float = 2.0, on_event: OnEvent = lambda _: None
    ) -> LiveDemoResult:
        """The demo, with its project in the folder."""
        address = f"127.0.0.1:{self.postgres.port}/postgres"
        return live_demo(
            folder,
            postgres=f"postgresql://{self.postgres.user}:${{{_VARIABLE}}}@{address}",
            kafka=self.kafka.bootstrap,
            connect=f"http://127.0.0.1:{self.connect.port}",
            name=self.name,
            orders=orders,
            rate=rate,
            on_event=on_event,
        )

    def topics(self) -> list[str]:
        """The topics of that name which the broker has."""
        return [topic for topic in self.kafka.topics() if topic.startswith(f"{self.name}.")]


@contextmanager
def live_demo_servers(
    postgres: PostgresServer,
    kafka: KafkaBroker,
    connect: ConnectWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LiveDemoServers]:
    """Servers for a demo of a name of its own, whose database is removed where the test fails."""
    monkeypatch.setenv(_VARIABLE, postgres.password)
    name = f"demo_{postgres.port}_{next(_NUMBERS)}"
    yield LiveDemoServers(name, postgres, kafka, connect)
    postgres.drop_database(name)
