"""The handler of a service while the past is caught up with: what it was, and then both."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import StrEnum

from confluent_kafka import Consumer, KafkaException, TopicPartition
from sqlalchemy import Connection, update

from cutline.consumer.errors import ConsumerError
from cutline.consumer.handover.added import Added, AddedHandler
from cutline.consumer.handover.handover import Handover
from cutline.consumer.handover.rows import of_partition
from cutline.consumer.handover.tables import LIVE
from cutline.consumer.received import Received
from cutline.consumer.transactions import refused_endings

_LOG = logging.getLogger("cutline.consumer")
_ASK_SECONDS = 10.0

ServiceHandler = Callable[[Received, Connection], None]
"""What a service does with a record, in the transaction of that record."""


class LiveResult(StrEnum):
    """What became of a record: the service's handler did it; the added one did it as well; it was
    done before, and is delivered again."""

    HANDLED = "handled"
    ADDED = "added"
    PASSED = "passed"


class LiveHandler:
    """The handlers of a service, in one transaction with the place of the record.

    The added handler is called from the record on at which the partition was handed over. Each
    process of the service has one, and calls nothing else.
    """

    def __init__(self, handover: Handover, handle: ServiceHandler, add: AddedHandler) -> None:
        self._handover, self._handle, self._add = handover, handle, add

    def on_assign(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """What a consumer of Kafka's client library calls when it gets partitions: `on_assign` of
        its `subscribe`. Those of other topics are passed over; what is read from where is not
        changed. Where Kafka does not answer, the first record says where the process is."""
        places = [place for place in partitions if place.topic == self._handover.topic]
        try:
            for place in client.committed(places, _ASK_SECONDS):
                first, end = client.get_watermark_offsets(place, timeout=_ASK_SECONDS)
                self.assigned(place.partition, max(first, place.offset), end)
        except KafkaException as error:
            _LOG.warning("Kafka error", extra={"reason": error.args[0].str()})

    def assigned(self, partition: int, position: int, end: int) -> None:
        """Says that this process has a partition, from which offset it reads, and where the
        partition ends: its high watermark. What lies before that offset, a process without this
        wrapper has handled, or nobody; where the partition was handed over, it is counted as
        missed.

        ConsumerError where the partition is shorter than what was read of it: the topic was made
        anew, and its records would be taken for those of before.
        """
        handover = self._handover
        with handover.database.transaction() as connection:
            row = handover.lock(connection, LIVE, partition)
            handover.database.refuse_autocommit(connection)
            if end < row.next_offset:
                raise ConsumerError(
                    f"topic {handover.topic}, partition {partition} ends at offset {end}, and the "
                    f"service has read up to {row.next_offset}: the topic was made anew",
                    left_behind="Nothing was handled.",
                    next_step=f"cutline reconsume cancel {handover.group} --topic "
                    f"{handover.topic}, then finish it, and start a new one.",
                )
            passed = max(0, position - row.next_offset)
            missed = passed if row.handed_over_at is not None else 0
            if missed:
                _LOG.warning(
                    "records handled without the added handler",
                    extra={"topic": handover.topic, "partition": partition, "offsets": missed},
                )
            connection.execute(
                update(LIVE)
                .where(of_partition(LIVE, handover.key(partition)))
                .values(
                    next_offset=row.next_offset + passed,
                    registered_at=row.registered_at or handover.database.now(),
                    missed=LIVE.c.missed + missed,
                )
            )

    def handle(self, record: Received) -> LiveResult:
        """Does a record once, whichever process has it. What a handler raises undoes all of it.

        ConsumerError for a record of another topic, and where the handover's rows are gone.
        """
        handover = self._handover
        if record.topic != handover.topic:
            raise ConsumerError(
                f"topic {record.topic} is not that of the handover, which is {handover.topic}",
                left_behind="Nothing was handled.",
                next_step="Handle its records without the wrapper.",
            )
        with handover.database.transaction() as connection:
            row = handover.lock(connection, LIVE, record.partition)
            if record.offset < row.next_offset:
                return LiveResult.PASSED
            connection.execute(
                update(LIVE)
                .where(of_partition(LIVE, handover.key(record.partition)))
                .values(
                    next_offset=record.offset + 1,
                    registered_at=row.registered_at or handover.database.now(),
                )
            )
            handed_over = row.handed_over_at is not None and record.offset >= row.handed_over_at
            adds = handed_over and not handover.is_cancelled(connection)
            with refused_endings(connection, record):
                self._handle(record, connection)
                if adds:
                    self._add(record, Added(connection, handover.terms.writable))
        return LiveResult.ADDED if adds else LiveResult.HANDLED
