"""The new side's own producer: events of orders that the ERP has as well, told as they happen."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from cutline.errors import RunFailed
from cutline.sample import LivePlaces

SOURCE = "urn:retail:live:orders"
_SECONDS = 30


class NativeProducer:
    """Sends events in the binary mode of CloudEvents, each to the topic of its aggregate."""

    def __init__(self, places: LivePlaces) -> None:
        from confluent_kafka import Producer

        self._prefix = places.name
        self._bootstrap = places.bootstrap
        self._producer = Producer(
            {
                "bootstrap.servers": places.bootstrap,
                "partitioner": "murmur2_random",
                "enable.idempotence": True,
                "log_level": 2,
            }
        )
        self._refused: list[str] = []
        self.sent = 0

    def tell(
        self, aggregate: str, kind: str, subject: str, region: str, data: Mapping[str, Any]
    ) -> None:
        """Send one event; it is there once `flush` has returned."""
        text = json.dumps(dict(sorted(data.items())), separators=(",", ":"))
        self._send(aggregate, kind, subject, region, text)

    def tell_torn(self, subject: str, region: str) -> None:
        """Send an event whose data was cut off."""
        self._send("customer_order", "OrderPlaced", subject, region, '{"channel":"WE')

    def send_again(
        self, aggregate: str, key: str, headers: Mapping[str, str], value: object
    ) -> None:
        """Send a record as a file of a topic has it."""
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        self._produce(
            aggregate,
            key,
            [(name, attribute.encode()) for name, attribute in headers.items()],
            text,
        )

    def flush(self) -> None:
        """Until Kafka has all that was sent; RunFailed where it does not take it."""
        waiting = self._producer.flush(_SECONDS)
        if waiting or self._refused:
            why = self._refused[0] if self._refused else f"no answer within {_SECONDS} s"
            raise RunFailed(
                f"Kafka at {self._bootstrap} does not take the new side's events: {why}",
                left_behind="What was committed in the database is there.",
                next_step="See that its brokers run, then run the same command again.",
            )

    def _send(self, aggregate: str, kind: str, subject: str, region: str, text: str) -> None:
        now = dt.datetime.now(dt.UTC)
        attributes = {
            "id": str(uuid.uuid4()),
            "migregion": region,
            "partitionkey": subject,
            "sequence": f"L-{int(now.timestamp() * 1_000_000):017d}",
            "source": SOURCE,
            "specversion": "1.0",
            "subject": subject,
            "time": moment_text(now),
            "type": kind,
        }
        headers = [
            *((f"ce_{name}", value.encode()) for name, value in attributes.items()),
            ("content-type", b"application/json"),
        ]
        self._produce(aggregate, subject, headers, text)

    def _produce(
        self, aggregate: str, subject: str, headers: Sequence[tuple[str, bytes]], text: str
    ) -> None:
        self._producer.produce(
            f"{self._prefix}.fulfilment.{aggregate}.live",
            text.encode(),
            subject.encode(),
            headers=list(headers),
            on_delivery=self._note,
        )
        self._producer.poll(0)
        self.sent += 1

    def _note(self, error: object, _message: object) -> None:
        if error is not None:
            self._refused.append(str(error))


def moment_text(moment: dt.datetime) -> str:
    """A moment as payloads and attributes have it."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
