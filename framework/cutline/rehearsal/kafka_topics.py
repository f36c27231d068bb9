"""A rehearsal on topics of Kafka."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from cutline.consumer.received import Received
from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import ClientSettings
from cutline.project.readiness import LiveGroup
from cutline.rehearsal.brokers import INTERVAL_MILLIS, BrokerFigures, BrokerStatistics
from cutline.rehearsal.interface import LiveLook
from cutline.rehearsal.record import RehearsedRecord
from cutline.topics.catalog.kafka import KafkaCatalog
from cutline.topics.kafka.admin import APPENDED, COMPACTED
from cutline.topics.kafka.failures import reason
from cutline.topics.kafka.live_load import LagLimit, committed_offsets, lag_behind
from cutline.topics.kafka.reading import FIRST, LAST, QUIET, committed, offsets, reader
from cutline.topics.murmur2 import partition

_REQUEST = 30.0
_WITHIN = 30.0
_LOOK = 0.1


class RehearsalKafka:
    """Topics on a cluster; `groups` are the consumer groups of the live traffic, which are only
    asked how far they are."""

    def __init__(
        self,
        settings: ClientSettings,
        partitions: int,
        replication: int | None,
        patience: float,
        groups: Sequence[LiveGroup],
        *,
        create: bool,
    ) -> None:
        self._settings, self._partitions = settings, partitions
        self._replication, self._patience = replication, patience
        self._groups, self._create = groups, create
        self._admin = AdminClient({**QUIET, **settings.with_secrets()})
        self._catalog = KafkaCatalog(settings)
        self._opened: Producer | None = None
        self._statistics = BrokerStatistics()

    def make(self, history: Sequence[str], states: Sequence[str]) -> None:
        """Make topics that must not exist yet; those of states are compacted."""
        if not self._create:
            raise ConfigurationError(
                "topics.create is never: a rehearsal makes topics of its own, and removes them",
                left_behind="Nothing was sent.",
                next_step="Let it make topics whose names begin with the prefix and `.rehearsal.`, "
                "and set `topics.create: missing`.",
            )
        settings = dict.fromkeys(history, APPENDED) | dict.fromkeys(states, COMPACTED)
        replication = -1 if self._replication is None else self._replication
        topics = [
            NewTopic(name, self._partitions, replication, config=dict(config))
            for name, config in settings.items()
        ]
        with self._reached():
            futures = self._admin.create_topics(topics, request_timeout=_REQUEST)
            for future in futures.values():
                future.result()
            self._await(set(settings))

    def send(self, records: Sequence[RehearsedRecord]) -> list[float]:
        """Send records in their order; of each, the milliseconds until all copies had it."""
        milliseconds: list[float] = []
        failures: list[KafkaError] = []

        def reported(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                failures.append(error)
            else:
                milliseconds.append((message.latency() or 0.0) * 1000)

        with self._reached():
            for record in records:
                self._producer.produce(
                    record.topic,
                    value=None if record.value is None else record.value.encode(),
                    key=record.key.encode(),
                    partition=partition(record.key, self._partitions),
                    headers=[(name, text.encode()) for name, text in record.headers.items()],
                    on_delivery=reported,
                    timestamp=record.millis,
                )
            left = self._producer.flush(self._patience)
            if failures:
                raise KafkaException(failures[0])
            if left:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        return milliseconds

    def brokers(self) -> BrokerFigures | None:
        """How the brokers fared while records were sent; null if the client says nothing of them
        within the patience of the topics."""
        until = time.monotonic() + self._patience
        # What was sent last is in the document that comes after.
        documents = self._statistics.documents + 1
        with self._reached():
            while self._statistics.documents < documents and time.monotonic() < until:
                self._producer.poll(INTERVAL_MILLIS / 1000)
        return self._statistics.figures()

    def read(self, topics: Sequence[str]) -> Iterator[Received]:
        """All that stands on these topics, partition by partition."""
        with self._reached():
            consumer = reader(self._settings)
            try:
                for (topic, number), (start, end) in self._ranges(topics).items():
                    for message in committed(consumer, topic, number, start, end, self._patience):
                        yield _received(topic, number, message)
            finally:
                consumer.close()

    def standing(self, namespace: str) -> list[str]:
        """The topics there are whose names begin with a namespace."""
        return [name for name in self._catalog.topics() if name.startswith(f"{namespace}.")]

    def remove(self, namespace: str) -> int:
        """Remove the topics of a namespace, which are gone then; how many they were."""
        topics = self.standing(namespace)
        self._catalog.remove(topics)
        return len(topics)

    def look(self, topics: Sequence[str]) -> LiveLook:
        """How topics and the live groups stand now; a topic that is not there has no ends."""
        with self._reached():
            limits = {g.place: LagLimit(g.group, g.topic, g.messages) for g in self._groups}
            existing = set(self._catalog.topics()) if limits else set()
            for name, limit in limits.items():
                if limit.topic not in existing:
                    raise ConfigurationError(
                        f"readiness.live looks at {name}, and topic {limit.topic} is not there",
                        left_behind="Nothing was sent.",
                        next_step="Mend `readiness` in cutline.yaml.",
                    )
            at = {name: committed_offsets(self._settings, limits[name]) for name in limits}
            return LiveLook(
                ends=self._catalog.ends(topics),
                committed={name: {str(p): o for p, o in at[name].items()} for name in limits},
                lag={
                    name: lag_behind(self._settings, limit.topic, at[name])
                    for name, limit in limits.items()
                },
            )

    def close(self) -> None:
        """Forget the producer."""
        self._opened = None

    @property
    def _producer(self) -> Producer:
        if self._opened is None:
            self._opened = Producer(
                {
                    **QUIET,
                    "compression.type": "zstd",
                    **self._settings.with_secrets(),
                    "enable.idempotence": "true",
                    "acks": "all",
                    "linger.ms": "5",
                    "statistics.interval.ms": INTERVAL_MILLIS,
                    "stats_cb": self._statistics.take,
                }
            )
        return self._opened

    def _ranges(self, topics: Sequence[str]) -> dict[tuple[str, int], tuple[int, int]]:
        """First offset and end of each partition of those topics that are there."""
        places = self._catalog.partitions(topics)
        starts = offsets(self._settings, places, FIRST)
        ends = offsets(self._settings, places, LAST)
        return {place: (starts[place], end) for place, end in ends.items()}

    def _await(self, topics: set[str]) -> None:
        """Until the brokers know the topics; RunFailed if they do not."""
        until = time.monotonic() + _WITHIN
        while not topics <= set(self._catalog.topics()):
            if time.monotonic() > until:
                raise RunFailed(
                    f"the topics of the rehearsal are not there after {_WITHIN:.0f} s, in Kafka at "
                    f"{self._settings.bootstrap}",
                    left_behind="Topics of its namespace may be there.",
                    next_step="Look at the brokers; then the next rehearsal removes them.",
                )
            time.sleep(_LOOK)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except KafkaException as error:
            raise RunFailed(
                f"Kafka at {self._settings.bootstrap} did not do what the rehearsal needs: "
                f"{reason(error)}",
                left_behind="Topics of its namespace may be there.",
                next_step="Mend that; then the next rehearsal removes them.",
            ) from error


def _received(topic: str, number: int, message: Message) -> Received:
    pairs: Any = message.headers() or ()
    return Received(
        topic,
        number,
        message.offset() or 0,
        _bytes(message.key()),
        tuple((name, _bytes(text)) for name, text in pairs),
        _bytes(message.value()),
    )


def _bytes(content: Any) -> bytes | None:
    return content.encode() if isinstance(content, str) else content
