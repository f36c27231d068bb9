"""A service over topics of Kafka, as a member of its group, until it is stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaException,
    Message,
    TopicPartition,
)

from cutline.consumer.database_errors import explained_database_errors
from cutline.consumer.endings import stopped_by_signals
from cutline.consumer.errors import Stopping
from cutline.consumer.kafka_client import ConsumerClient
from cutline.consumer.kafka_failures import refuse
from cutline.consumer.kafka_settings import client_settings
from cutline.consumer.received import Headers, Received
from cutline.consumer.service import Service

_LOG = logging.getLogger("cutline.consumer")

_WAIT = 0.5
_COMMIT_SECONDS = 1.0
_SEND_SECONDS = 10.0
_TIDY_SECONDS = 3600.0


def run_kafka(
    service: Service,
    topics: Sequence[str],
    settings: Mapping[str, Any],
    until: Callable[[], bool] | None = None,
) -> None:
    """Handles what topics hold behind the service's positions, and what comes, until it is stopped.

    `settings` are librdkafka's; the group is called after service and version. SIGTERM and SIGINT
    stop it, where it runs in the main thread: the event at hand is finished, and the group is left.
    `until` is asked whenever nothing came, and ends it as well. ConsumerError, with topic and
    partition, where a position is gone, rights are missing, or a topic is not there.
    """
    name = f"{service.owner.service}-{service.owner.version}"
    member = _Member(service, client_settings(settings, name, service.policy.retries))
    with stopped_by_signals(service.stop), explained_database_errors():
        try:
            member.subscribe(topics)
            service.redrive.go_on(lambda: service.is_stopped)
            member.run(until)
        finally:
            member.close()


class _Member:
    """One member of the service's group."""

    def __init__(self, service: Service, settings: dict[str, Any]) -> None:
        self._service = service
        self._done: dict[tuple[str, int], int] = {}
        self._commit_at = self._tidy_at = time.monotonic()
        self._connected = ConsumerClient(settings)
        self._client = self._connected.consumer

    def subscribe(self, topics: Sequence[str]) -> None:
        self._connected.partitions(topics)
        self._client.subscribe(
            list(topics),
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )

    def run(self, until: Callable[[], bool] | None) -> None:
        while not self._service.is_stopped:
            message = self._client.poll(_WAIT)
            self._connected.refuse_errors()
            if message is None:
                self._service.outbox.deliver(_SEND_SECONDS)
                if until is not None and until():
                    return
            elif (error := message.error()) is not None:
                refuse(error, message)
            else:
                try:
                    self._handle(message)
                except Stopping:
                    return
            self._tidy()

    def close(self) -> None:
        """Leaves the group, with what is done committed in Kafka."""
        with suppress(KafkaException):
            self._commit(asynchronous=False)
        self._client.close()

    def _handle(self, message: Message) -> None:
        record = received(message)
        self._service.handle(record)
        self._done[record.topic, record.partition] = record.offset + 1
        self._service.outbox.deliver(_SEND_SECONDS)

    def _tidy(self) -> None:
        now = time.monotonic()
        if now >= self._commit_at:
            with suppress(KafkaException):
                self._commit(asynchronous=True)
            self._commit_at = now + _COMMIT_SECONDS
        if now >= self._tidy_at:
            self._service.forget()
            self._tidy_at = now + _TIDY_SECONDS

    def _commit(self, *, asynchronous: bool) -> None:
        """Tells Kafka how far the service is, for those who look at its lag."""
        offsets = [TopicPartition(topic, p, done) for (topic, p), done in self._done.items()]
        self._done.clear()
        if offsets and asynchronous:
            self._client.commit(offsets=offsets, asynchronous=True)
        elif offsets:
            self._client.commit(offsets=offsets, asynchronous=False)

    def _assigned(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """Each partition goes on at the service's own position, not at that of the group."""
        for place in partitions:
            position = self._service.begin((place.topic, place.partition))
            place.offset = position or OFFSET_BEGINNING
        client.incremental_assign(partitions)
        _LOG.info("partitions assigned", extra={"partitions": _names(partitions)})

    def _revoked(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """Between two events, so that nothing of these partitions is at hand."""
        with suppress(KafkaException):
            self._commit(asynchronous=False)
        client.incremental_unassign(partitions)
        _LOG.info("partitions revoked", extra={"partitions": _names(partitions)})

    def _lost(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """They are another member's by now; what it has done, this one passes over."""
        for place in partitions:
            self._done.pop((place.topic, place.partition), None)
        client.incremental_unassign(partitions)
        _LOG.warning("partitions lost", extra={"partitions": _names(partitions)})


def received(message: Message) -> Received:
    """A record of Kafka's client as what a service handles."""
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    if topic is None or partition is None or offset is None:
        raise ValueError("a message of a producer has no place yet")
    key, value = message.key(), message.value()
    return Received(
        topic,
        partition,
        offset,
        key.encode() if isinstance(key, str) else key,
        _headers(message),
        value.encode() if isinstance(value, str) else value,
    )


def _headers(message: Message) -> Headers:
    headers = message.headers() or ()
    pairs = headers.items() if isinstance(headers, dict) else headers
    return tuple((name, v.encode() if isinstance(v, str) else v) for name, v in pairs)


def _names(partitions: Sequence[TopicPartition]) -> list[str]:
    return [f"{place.topic}/{place.partition}" for place in partitions]
