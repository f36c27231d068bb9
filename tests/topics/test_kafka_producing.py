"""A producer of transactions against the broker that is built into Kafka's client."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from cutline.kafka import ClientSettings
from cutline.topics.kafka import producing
from cutline.topics.kafka.producing import KafkaRecord, TransactionalProducer

BROKER = {"bootstrap.servers": "", "test.mock.num.brokers": "1", "compression.type": "none"}
PROGRESS = KafkaRecord(b"progress", b"{}", [], None)


def producer(**settings: str) -> TransactionalProducer:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    return TransactionalProducer(ClientSettings({**BROKER, **named}), "shop/0/all", 10.0)


def records(count: int, size: int = 10) -> list[KafkaRecord]:
    return [
        KafkaRecord(b"%d" % n, b"v" * size, [("n", b"%d" % n)], 1_000 + n) for n in range(count)
    ]


def test_more_than_the_client_has_room_for_is_handed_over_when_it_has() -> None:
    client = producer(queue_buffering_max_kbytes="100")
    client.send("shop.order", 0, records(500, size=1_000))
    client.commit("shop.progress", 0, PROGRESS)


def test_a_record_that_is_too_large_is_named_and_what_came_before_is_not_committed() -> None:
    client = producer(message_max_bytes="2000")
    with pytest.raises(KafkaException) as raised:
        client.send("shop.order", 0, [*records(3), *records(1, size=5_000)])
    assert raised.value.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE
    client.throw_away()


def test_what_was_given_up_is_refused_by_sending_and_by_committing() -> None:
    client = producer()
    client.send("shop.order", 0, records(3))
    client.throw_away()
    with pytest.raises(KafkaException):
        client.send("shop.order", 0, records(3))
    with pytest.raises(KafkaException):
        client.commit("shop.progress", 0, PROGRESS)


class EndedClient:
    """A client whose transaction must end, and that says only in a report why."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.report = settings["on_delivery"]

    def init_transactions(self, _: float) -> None: ...

    def begin_transaction(self) -> None: ...

    def produce(self, *_: object, **__: object) -> None:
        raise KafkaException(KafkaError(KafkaError._STATE, "Erroneous state"))

    def poll(self, _: float) -> None:
        self.report(KafkaError(KafkaError._MSG_TIMED_OUT, "too old"), None)


def test_why_a_transaction_must_end_is_said_and_not_only_that_it_must(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(producing, "Producer", EndedClient)
    with pytest.raises(KafkaException, match="too old"):
        producer().send("shop.order", 0, records(1))


def test_it_goes_with_the_last_who_has_it() -> None:
    gc.disable()
    try:
        client = producer()
        client.send("shop.order", 0, records(3))
        client.commit("shop.progress", 0, PROGRESS)
        reference = weakref.ref(client)
        del client
        assert reference() is None
    finally:
        gc.enable()
