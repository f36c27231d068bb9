"""A service in a process of its own: it writes down each event, and mails about it into a file.

    python mailing_service.py BOOTSTRAP DATABASE_URL MAILS TOPICS SETTINGS ENDS

MAILS gets a line for each mail that is sent: its key and the event's id. SETTINGS is JSON, of
librdkafka. With ENDS, JSON of [topic, partition, offset], it ends when these are reached.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from sqlalchemy import Engine, create_engine, event, insert

from cutline.consumer import ConsumerPolicy, Effect, Envelope, Service, Work, run_kafka
from support.consuming import HANDLED_EVENTS


def database(url: str) -> Engine:
    """The database of a service of which several processes run."""
    engine = create_engine(url, connect_args={"timeout": 30} if "sqlite" in url else {})
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _quick)
    return engine


def _quick(connection: Any, _: object) -> None:
    # What a killed process wrote is safe without waiting for the disk.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")


def handle(envelope: Envelope, work: Work) -> None:
    work.connection.execute(
        insert(HANDLED_EVENTS).values(subject=envelope.subject, event_id=envelope.id)
    )
    work.effects.perform("mail", {"to": envelope.subject})


def main(bootstrap: str, url: str, mails: str, topics: str, settings: str, ends: str = "") -> None:
    file = os.open(mails, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def send(effect: Effect) -> None:
        os.write(file, f"{effect.key} {effect.event_id}\n".encode())
        # So that a kill meets it between the mail and the note that it was sent.
        time.sleep(0.002)

    policy = ConsumerPolicy(claim_seconds=3.0)
    service = Service("mailer", "1", database(url), handle, {"mail": send}, policy)
    service.make_tables()
    places = {(topic, partition): end for topic, partition, end in json.loads(ends or "[]")}
    print("begun", flush=True)
    run_kafka(
        service,
        topics.split(","),
        {"bootstrap.servers": bootstrap, "log_level": 0, **json.loads(settings)},
        until=(lambda: not service.behind(places) and not service.outbox.pending())
        if places
        else None,
    )
    print("ended", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
