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
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from cutline.consumer.database_errors import explained_database_errors
from cutline.consumer.endings import stopped_by_signals
from cutline.consumer.errors import ConsumerError, Stopping
from cutline.consumer.kafka_failures import refuse
from cutline.consumer.kafka_settings import client_settings
from cutline.consumer.received import Headers, Received
from cutline.consumer.service import Service

_LOG = logging.getLogger("cutline.consumer")

_WAIT = 0.5
_COMMIT_SECONDS = 1.0
_SEND_SECONDS = 10.0
_TIDY_SECONDS = 3600.0
_ANSWER_SECONDS = 30.0
_ASK_SECONDS = 3.0


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
    with stopped_by_signals(service), explained_database_errors():
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
        self._errors: list[KafkaError] = []
        self._done: dict[tuple[str, int], int] = {}
        self._commit_at = self._tidy_at = time.monotonic()
        self._client = _client({**settings, "error_cb": self._errors.append})

    def subscribe(self, topics: Sequence[str]) -> None:
        known_topics = self._metadata()
        for topic in topics:
            if topic not in known_topics:
                raise ConsumerError(
                    f"topic {topic} is not there",
                    left_behind="Nothing was read.",
                    next_step="Mend its name, or have Cutline or the live producer make it first.",
                )
        self._client.subscribe(
            list(topics),
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )

    def run(self, until: Callable[[], bool] | None) -> None:
        while not self._service.is_stopped:
            message = self._client.poll(_WAIT)
            self._look_at_errors()
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

    def _metadata(self) -> Mapping[str, Any]:
        """The topics that there are. ConsumerError where no broker answers for half a minute."""
        until = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                topics: Mapping[str, Any] = self._client.list_topics(timeout=_ASK_SECONDS).topics
                return topics
            except KafkaException as error:
                # Only a poll brings what a broker had against this client.
                self._client.poll(0)
                self._look_at_errors()
                if time.monotonic() > until:
                    raise ConsumerError(
                        f"Kafka does not answer: {error.args[0].str()}",
                        left_behind="Nothing was read.",
                        next_step="See that its brokers run, and mend bootstrap.servers.",
                    ) from error

    def _look_at_errors(self) -> None:
        while self._errors:
            refuse(self._errors.pop(0))


def _client(settings: dict[str, Any]) -> Consumer:
    """A client with these settings. ConsumerError, with librdkafka's words, for what it refuses."""
    try:
        return Consumer(settings)
    except KafkaException as error:
        raise ConsumerError(
            f"librdkafka refuses the settings: {error.args[0].str()}",
            left_behind="Nothing was read.",
            next_step="Mend the setting that it names.",
        ) from error


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
