"""Reading what is committed of one partition, between two offsets, without any consumer group."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from cutline.identity import canonical_json
from cutline.kafka import ClientSettings
from cutline.topics.kafka.slots import Publisher

if TYPE_CHECKING:
    from confluent_kafka import Message

_BATCH = 5_000
_WAIT = 0.5
_REQUEST = 30.0

FIRST = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
LAST = OffsetSpec.latest()  # type: ignore[no-untyped-call]

QUIET = {"log_level": "0"}
"""What goes wrong comes as errors; a client would print it beside."""

_AS_READERS = {
    # Needed by the client; no group is joined, and nothing is ever committed.
    "group.id": "cutline",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "isolation.level": "read_committed",
    # With the default, what retention removed would be passed over without a word.
    "auto.offset.reset": "error",
    "enable.partition.eof": "true",
    "fetch.queue.backoff.ms": "2",
    # How long a broker waits at the end of a partition, behind which nothing is expected.
    "fetch.wait.max.ms": "20",
}


class Unfinished(Exception):
    """The end of a partition could not be reached in time: some transaction there stays open."""


def reader(settings: ClientSettings) -> Consumer:
    """A consumer that is assigned partitions, and belongs to no group."""
    return Consumer({**QUIET, **settings.with_secrets(), **_AS_READERS})


def committed(
    consumer: Consumer, topic: str, partition: int, start: int, end: int, patience: float
) -> Iterator[Message]:
    """The committed records of [start, end), in order.

    Gaps, of compaction and of markers of transactions, are passed over. Unfinished if nothing comes
    for `patience` seconds though the end is not reached.
    """
    if start >= end:
        return
    consumer.assign([TopicPartition(topic, partition, start)])
    until = time.monotonic() + patience
    try:
        while True:
            # A call waits for all that it asks for: so for one, and then for what is there.
            messages = consumer.consume(1, _WAIT)
            messages += consumer.consume(_BATCH, 0) if messages else []
            if messages:
                until = time.monotonic() + patience
            for message in messages:
                error, offset = message.error(), message.offset()
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                # The end of a partition moves past markers, which no record tells of.
                if offset is not None and offset >= end:
                    return
                if error is None:
                    yield message
                    if offset == end - 1:
                        return
            if time.monotonic() > until:
                raise Unfinished(
                    f"{topic}[{partition}] was not read up to offset {end} in {patience:.0f} s: "
                    "the broker does not answer, or a transaction there is not ended"
                )
    finally:
        consumer.unassign()


def high_watermark(publisher: Publisher, topic: str, partition: int) -> int:
    """The end of a partition, with what is not committed yet."""
    return _offset(publisher, topic, partition, LAST)


def low_watermark(publisher: Publisher, topic: str, partition: int) -> int:
    """The first offset that a partition still has."""
    return _offset(publisher, topic, partition, FIRST)


def _offset(publisher: Publisher, topic: str, partition: int, spec: OffsetSpec) -> int:
    place = TopicPartition(topic, partition)
    [offset] = offsets(publisher.settings, [place], spec).values()
    return offset


def offsets(
    settings: ClientSettings,
    places: Sequence[TopicPartition],
    spec: OffsetSpec,
    isolation: IsolationLevel = IsolationLevel.READ_UNCOMMITTED,
) -> dict[tuple[str, int], int]:
    """The first or last offset of each partition, by topic and number; KafkaException if one is not
    to be had."""
    # A client that nobody has any more never answers: this one is held until it has.
    client = admin_client(settings)
    futures = client.list_offsets(
        dict.fromkeys(places, spec), isolation_level=isolation, request_timeout=_REQUEST
    )
    try:
        return {(p.topic, p.partition): int(f.result().offset) for p, f in futures.items()}
    except KafkaException:
        # It keeps what it knows of leaders, also where that is why it failed.
        forget_admin_client(settings)
        raise


_OF_THREAD = threading.local()
"""The clients of a thread by their settings."""


def admin_client(settings: ClientSettings) -> AdminClient:
    """A client for questions about topics: one per thread and cluster.

    Threads may not share one: that ends the process. librdkafka (2.16) looks for leaders in the
    thread that asks, and goes on with what the answer to another question frees meanwhile.
    """
    clients: dict[str, AdminClient] = _OF_THREAD.__dict__
    key = _key(settings)
    if key not in clients:
        clients[key] = AdminClient({**QUIET, **settings.with_secrets()})
    return clients[key]


def forget_admin_client(settings: ClientSettings) -> None:
    """The next question of this thread is asked by a new client."""
    _OF_THREAD.__dict__.pop(_key(settings), None)


def _key(settings: ClientSettings) -> str:
    return canonical_json(asdict(settings))
