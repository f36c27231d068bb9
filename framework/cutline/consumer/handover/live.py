"""The handler of a service while the past is caught up with: what it was, and then both."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition
from sqlalchemy import Connection, Row, func, update

from cutline.consumer.errors import ConsumerError
from cutline.consumer.handover.added import Added, AddedHandler
from cutline.consumer.handover.handover import BESIDE, FINISHED, Handover
from cutline.consumer.handover.rows import of_partition
from cutline.consumer.handover.tables import CATCH_UP, LIVE
from cutline.consumer.handover.topic import refuse_other_topic, refuse_shorter
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
    process of the service has one, and calls nothing else. Where a process without it has handled
    what comes behind that record, the partition is opened again: the catch-up does what is missing.
    """

    def __init__(self, handover: Handover, handle: ServiceHandler, add: AddedHandler) -> None:
        self._handover, self._handle, self._add = handover, handle, add
        self._entered: set[int] = set()

    def on_assign(
        self, settings: Mapping[str, Any]
    ) -> Callable[[Consumer, list[TopicPartition]], None]:
        """What a consumer of Kafka's client library calls when it gets partitions: `on_assign` of
        its `subscribe`. `settings` are that consumer's.

        Partitions of other topics are passed over; what is read from where is not changed. Where
        Kafka does not answer, the first record says where the process is.
        """

        def assigned(client: Consumer, partitions: list[TopicPartition]) -> None:
            places = [place for place in partitions if place.topic == self._handover.topic]
            try:
                refuse_other_topic(self._handover, settings)
                for place in client.committed(places, _ASK_SECONDS):
                    _, end = client.get_watermark_offsets(place, timeout=_ASK_SECONDS)
                    self.assigned(place.partition, max(0, place.offset), end)
            except KafkaException as error:
                _LOG.warning("Kafka error", extra={"reason": error.args[0].str()})

        return assigned

    def assigned(self, partition: int, position: int, end: int) -> None:
        """Says that this process has a partition, what its group has committed there, 0 for
        nothing, and where the partition ends: its high watermark.

        ConsumerError where the partition is shorter than what was read of it: the topic was made
        anew, and its records would be taken for those of before.
        """
        handover = self._handover
        with handover.transaction() as connection:
            row = handover.lock(connection, LIVE, partition)
            refuse_shorter(handover, partition, end, "service", row.next_offset)
            self._enter(connection, partition, row, max(row.next_offset, position))
        self._entered.add(partition)

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
        with handover.transaction() as connection:
            if record.partition not in self._entered:
                row = handover.lock(connection, LIVE, record.partition)
                self._enter(connection, record.partition, row, max(row.next_offset, record.offset))
            if not self._moved(connection, record):
                # Its rows are there, as the partition was entered; or they are gone.
                handover.is_handed_over(connection, record)
                return LiveResult.PASSED
            adds = handover.is_handed_over(connection, record)
            with refused_endings(connection, record):
                self._handle(record, connection)
                if adds:
                    self._add(record, Added(connection, handover.terms.writable, record))
        self._entered.add(record.partition)
        return LiveResult.ADDED if adds else LiveResult.HANDLED

    def _enter(
        self, connection: Connection, partition: int, row: Row[tuple[object, ...]], position: int
    ) -> None:
        """Notes that the service goes on at a position. What lies between its place and that, a
        process without the wrapper has handled, or nobody; the catch-up goes on there."""
        handover = self._handover
        at = handover.key(partition)
        values = {
            "next_offset": position,
            "registered_at": row.registered_at or handover.database.now(),
        }
        is_behind = row.handed_over_at is not None and row.next_offset < position
        if is_behind and handover.terms.way != BESIDE:
            fields = {"topic": handover.topic, "partition": partition}
            if handover.status(connection) == FINISHED:
                _LOG.warning("records passed without the wrapper", extra=fields)
            else:
                handover.lock(connection, CATCH_UP, partition)
                again = update(CATCH_UP).where(of_partition(CATCH_UP, at))
                connection.execute(again.values(next_offset=row.next_offset, ended_at=None))
                values["handed_over_at"] = None
                _LOG.warning("partition opened again", extra=fields)
        connection.execute(update(LIVE).where(of_partition(LIVE, at)).values(**values))

    def _moved(self, connection: Connection, record: Received) -> bool:
        """Moves the place of the service behind a record; whether it was before it."""
        now = self._handover.database.now()
        moved = connection.execute(
            update(LIVE)
            .where(
                of_partition(LIVE, self._handover.key(record.partition)),
                LIVE.c.next_offset <= record.offset,
            )
            .values(
                next_offset=record.offset + 1,
                registered_at=func.coalesce(LIVE.c.registered_at, now),
            )
        )
        return moved.rowcount > 0
