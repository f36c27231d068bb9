"""The new side: it takes an order only under an epoch that is its own, and feeds it back."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from types import TracebackType
from typing import Any

import psycopg
from confluent_kafka import Producer

from support.order_desk.desk import CONTEXT, Desk

_TABLES = """
CREATE TABLE new_orders (
    no text PRIMARY KEY, region text NOT NULL, buyer text NOT NULL, item text NOT NULL,
    epoch bigint NOT NULL, fed boolean NOT NULL DEFAULT false
);
CREATE TABLE reverse_feed (running boolean);
INSERT INTO reverse_feed VALUES (true);
"""
_WRITES = "SELECT writes, epoch FROM cutline_rollouts WHERE context = %s AND region = %s FOR SHARE"


class NewSide:
    """A service with its own orders; as a context manager it feeds them back to the legacy."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._connection = psycopg.connect(desk.new_url, autocommit=True)
        self._connection.execute(_TABLES)
        self._producer = Producer(
            {"bootstrap.servers": desk.broker.bootstrap, "partitioner": "murmur2_random"}
        )
        self._ended = threading.Event()
        self._feed = threading.Thread(target=self._feed_back, name="reverse-feed")
        self.failure: BaseException | None = None

    def take(self, number: str, region: str, buyer: str, item: str) -> bool:
        """Whether the order is taken: in one transaction with the row that says who writes."""
        with self._connection.transaction():
            row = self._connection.execute(_WRITES, (CONTEXT, region)).fetchone()
            if row is None or row[0] != "new":
                return False
            self._connection.execute(
                "INSERT INTO new_orders VALUES (%s, %s, %s, %s, %s)",
                (number, region, buyer, item, row[1]),
            )
            self._send(number, region, row[1], {"buyer": buyer, "item": item})
        return True

    def wait_until_fed(self, seconds: float = 30) -> None:
        """Until the legacy has every order that was taken here."""
        deadline = time.monotonic() + seconds
        with psycopg.connect(self._desk.new_url, autocommit=True) as connection:
            while connection.execute("SELECT 1 FROM new_orders WHERE NOT fed").fetchone():
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the legacy has not everything after {seconds} s")
                time.sleep(0.1)

    def __enter__(self) -> NewSide:
        self._feed.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._feed.join()
        self._connection.close()
        if error is None and self.failure is not None:
            raise self.failure

    def _send(self, number: str, region: str, epoch: int, data: dict[str, str]) -> None:
        now = dt.datetime.now(dt.UTC).isoformat().replace("+00:00", "Z")
        attributes = {
            **{"specversion": "1.0", "id": f"placed-{number}", "source": "urn:desk"},
            **{"type": "OrderPlaced", "subject": number, "time": now},
            **{"migcontext": CONTEXT, "migregion": region, "migepoch": str(epoch)},
        }
        headers = [(f"ce_{name}", text.encode()) for name, text in attributes.items()]
        headers.append(("content-type", b"application/json"))
        self._producer.produce(
            self._desk.live_topic, json.dumps(data).encode(), number.encode(), headers=headers
        )
        if self._producer.flush(30):
            raise RuntimeError(f"the event of order {number} was not sent")

    def _feed_back(self) -> None:
        try:
            with (
                psycopg.connect(self._desk.new_url, autocommit=True) as new,
                psycopg.connect(self._desk.legacy_url, autocommit=True) as legacy,
            ):
                # As the user whom the denial lets through.
                legacy.execute("SET ROLE reverse_feed")
                while not self._ended.wait(0.5):
                    _bring_back(new, legacy)
        except BaseException as failure:
            self.failure = failure


def _bring_back(new: psycopg.Connection[Any], legacy: psycopg.Connection[Any]) -> None:
    """Bring to the legacy what it does not have; what was brought before a kill is there already."""
    rows = new.execute("SELECT no, region, buyer, item FROM new_orders WHERE NOT fed").fetchall()
    for row in rows:
        legacy.execute(
            "INSERT INTO orders (no, region, buyer, item) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (no) DO NOTHING",
            row,
        )
        new.execute("UPDATE new_orders SET fed = true WHERE no = %s", row[:1])
