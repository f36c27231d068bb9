"""Events for services in tests, and a service that writes down what it handles."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    Column,
    Engine,
    Integer,
    MetaData,
    StaticPool,
    Table,
    Text,
    create_engine,
    insert,
    select,
)

from cutline.consumer import ConsumerPolicy, Effect, Envelope, Received, Retries, Service, Work

HISTORY, LIVE = "shop.sales.order.synthetic", "shop.sales.order.live"
QUICK = Retries(attempts=3, first=0.0, longest=0.0)
MOMENT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)

HANDLED_EVENTS = Table(
    "handled_events",
    MetaData(),
    Column("number", Integer, primary_key=True),
    Column("subject", Text),
    Column("event_id", Text, nullable=False),
)
"""What the service of these tests writes itself."""


def event(
    number: int | str,
    offset: int,
    *,
    topic: str = LIVE,
    partition: int = 0,
    subject: str = "o-1",
    data: Any = None,
    **attributes: str,
) -> Received:
    """An event in the binary mode; `attributes` are further ones by their names."""
    headers = {
        "specversion": "1.0",
        "id": f"e-{number}",
        "source": "urn:shop",
        "type": "OrderPlaced",
        "subject": subject,
    } | attributes
    pairs = [(f"ce_{name}", text.encode()) for name, text in headers.items()]
    value = json.dumps({"order_id": subject} if data is None else data).encode()
    content_type = ("content-type", b"application/json")
    return Received(topic, partition, offset, subject.encode(), (*pairs, content_type), value)


def history(number: int | str, offset: int, **changes: Any) -> Received:
    """A synthetic event, which is not safe to replay."""
    attributes = {"migorigin": "synthetic", "migreplaysafe": "false"}
    return event(number, offset, **{"topic": HISTORY, **attributes, **changes})


def memory_database() -> Engine:
    """An empty SQLite database in memory, with the table of these tests."""
    engine = create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
    )
    HANDLED_EVENTS.metadata.create_all(engine)
    return engine


@dataclass
class Desk:
    """A service that writes each event down and mails about it, and what is wrong with it.

    Events whose id is in `broken` fail, and those in `fatal` end the process. `mails` are in the
    order in which they were sent; about subjects in `refused` no mail can be sent. `wrong` and
    `unreachable` are what the errors say.
    """

    engine: Engine = field(default_factory=memory_database)
    broken: set[str] = field(default_factory=set)
    fatal: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    mails: list[Effect] = field(default_factory=list)
    wrong: str = ""
    unreachable: str = "no such address"
    now: dt.datetime = MOMENT

    def service(self, version: str = "1", **policy: Any) -> Service:
        """The service as a new process would have it."""
        service = Service(
            "mailer",
            version,
            self.engine,
            self.handle,
            {"mail": self.send},
            ConsumerPolicy(**{"retries": QUICK, **policy}),
            clock=lambda: self.now,
        )
        service.make_tables()
        return service

    def handle(self, event: Envelope, work: Work) -> None:
        work.connection.execute(
            insert(HANDLED_EVENTS).values(subject=event.subject, event_id=event.id)
        )
        work.effects.perform("mail", {"to": event.subject})
        if event.id in self.fatal:
            raise KeyboardInterrupt
        if event.id in self.broken:
            raise RuntimeError(self.wrong or f"{event.id} is broken")

    def send(self, effect: Effect) -> None:
        if effect.arguments["to"] in self.refused:
            raise ConnectionError(self.unreachable)
        self.mails.append(effect)

    def handled(self, subject: str | None = None) -> list[str]:
        """The ids of handled events in their order, of one subject or of all."""
        query = select(HANDLED_EVENTS.c.event_id).order_by(HANDLED_EVENTS.c.number)
        if subject is not None:
            query = query.where(HANDLED_EVENTS.c.subject == subject)
        with self.engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def mailed(self) -> list[str]:
        """The ids of the events about which mails were sent, in their order."""
        return [mail.event_id for mail in self.mails]


def with_header(record: Received, name: str, value: bytes | None) -> Received:
    """The record with one more header."""
    return Received(
        record.topic,
        record.partition,
        record.offset,
        record.key,
        (*record.headers, (name, value)),
        record.value,
    )


def with_headers(headers: Mapping[str, str], value: bytes | None) -> Received:
    """A record with just these headers, at a place of its own."""
    pairs = tuple((name, text.encode()) for name, text in headers.items())
    return Received("t", 2, 7, b"k", pairs, value)
