"""A process of the service of orders, or of the catch-up for its added handler.

    python order_service.py PART BOOTSTRAP DATABASE_URL GROUP TOPIC SETTINGS

PART is `plain` (the service as it was), `wrapped` (with the wrapper of a handover), `both` (as it
is to be: both handlers and no wrapper) or `catch-up`. SETTINGS is JSON, of librdkafka. A service
runs until SIGTERM; a catch-up also ends by itself, and says so.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer
from sqlalchemy import Engine

from cutline.consumer import Received
from cutline.consumer.handover import Added, Handover, LiveHandler, run_catch_up
from cutline.consumer.kafka import received
from support.handing_over import WRITABLE, add, orders_database, serve


def run_service(
    client: Consumer, topic: str, handle: Callable[[Received], object], on_assign: Any = None
) -> None:
    """Handles what comes, and commits behind it, until SIGTERM."""
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    client.subscribe([topic], **({} if on_assign is None else {"on_assign": on_assign}))
    handled = 0
    while not stopped:
        message = client.poll(0.2)
        if message is None or message.error() is not None:
            continue
        handle(received(message))
        client.store_offsets(message)
        handled += 1
        if handled % 7 == 0:
            client.commit(asynchronous=False)
        # So that a kill meets it within a record, and a past is not over at once.
        time.sleep(0.002)
    client.close()


def main(part: str, bootstrap: str, url: str, group: str, topic: str, settings: str) -> None:
    engine = orders_database(url)
    extra = {"bootstrap.servers": bootstrap, "log_level": 0, **json.loads(settings)}
    if part == "catch-up":
        is_over = run_catch_up(Handover(engine, group, topic), _slowly_added, extra, batch=20)
        print("over" if is_over else "stopped", flush=True)
        return
    client = Consumer(
        {
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": True,
            "enable.auto.offset.store": False,
            "auto.commit.interval.ms": 300,
            "partition.assignment.strategy": "cooperative-sticky",
            **extra,
        }
    )
    if part == "wrapped":
        live = LiveHandler(Handover(engine, group, topic), serve, add)
        run_service(client, topic, live.handle, live.on_assign(extra))
    else:
        run_service(client, topic, lambda record: _handle(engine, record, also_add=part == "both"))


def _slowly_added(record: Received, added: Added) -> None:
    add(record, added)
    time.sleep(0.001)


def _handle(engine: Engine, record: Received, *, also_add: bool) -> None:
    with engine.begin() as connection:
        serve(record, connection)
        if also_add:
            add(record, Added(connection, WRITABLE, record))


if __name__ == "__main__":
    main(*sys.argv[1:])
