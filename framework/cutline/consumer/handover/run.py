"""The catch-up over a topic of Kafka, as a member of a group of its own, until it is over."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from cutline.consumer.database_errors import explained_database_errors
from cutline.consumer.endings import stopped_by_signals
from cutline.consumer.errors import ConsumerError, Stopping
from cutline.consumer.handover.added import AddedHandler
from cutline.consumer.handover.attempts import AttemptLimits, Attempts, RecordFailed
from cutline.consumer.handover.catching_up import CatchUp
from cutline.consumer.handover.handover import Handover
from cutline.consumer.handover.topic import refuse_other_topic, refuse_shorter
from cutline.consumer.kafka import received
from cutline.consumer.kafka_client import ConsumerClient
from cutline.consumer.kafka_failures import refuse
from cutline.consumer.kafka_settings import FIXED, client_settings
from cutline.consumer.received import Received
from cutline.consumer.retries import Retries

_LOG = logging.getLogger("cutline.consumer")

_WAIT = 0.5
_LOOK_SECONDS = 1.0
_ASK_SECONDS = 10.0
_SECONDS = {"postgresql": 0.2, "sqlite": 0.05}
"""How long one transaction takes records. SQLite has one writer at a time, and whoever waits is not
served in turn: there the service has as long behind each."""
_ENDS = {**FIXED, "enable.partition.eof": True}
"""An end of a partition comes as an error; that is how a partition is handed over at its end."""


def run_catch_up(
    handover: Handover,
    add: AddedHandler,
    settings: Mapping[str, Any],
    *,
    batch: int = 100,
    per_second: float | None = None,
    retries: Retries | None = None,
    until: Callable[[], bool] | None = None,
) -> bool:
    """Gives the added handler what the topic holds of the past, until each partition is handed over
    to the service, or the handover is given up; false where it was stopped before.

    `settings` are librdkafka's. At most `batch` records are one transaction, and at most
    `per_second` are handled in a second. Several processes may share the partitions. SIGTERM and
    SIGINT stop it, where it runs in the main thread; `until` is asked whenever nothing came.
    ConsumerError, with topic, partition and offset, for a record that the handler cannot do, where
    a position is gone, or where the topic is not that of the handover.
    """
    if batch < 1 or (per_second is not None and per_second <= 0):
        raise ValueError("batch and per_second are above 0")
    tries = retries or Retries()
    group = handover.terms.catch_up_group
    if settings.get("group.id", group) != group:
        raise ConsumerError(
            f"the setting group.id is {settings['group.id']!r}, and must be {group!r}",
            left_behind="Nothing was read.",
            next_step="Leave it out.",
        )
    client = client_settings(settings, group, tries, _ENDS)
    seconds = _SECONDS[handover.database.dialect]
    most = batch if per_second is None else max(1, min(batch, int(per_second)))
    reader = _Reader(
        CatchUp(handover, add, seconds), client, most, AttemptLimits(tries, per_second)
    )
    with stopped_by_signals(reader.stop), explained_database_errors():
        try:
            reader.subscribe()
            return reader.run(until)
        except Stopping:
            return False
        except KafkaException as error:
            raise ConsumerError(
                f"topic {handover.topic}: Kafka refuses or does not answer: {error.args[0].str()}",
                left_behind="What was handled before stays.",
                next_step=f"Grant Read on the topic and on the groups {group} and "
                f"{handover.group}, see that the brokers run, and run it again.",
            ) from error
        finally:
            reader.close()


class _Reader:
    """One member of the group that reads the past.

    `_reached` has by partition an offset before which all is handled: it is handed over there, or
    before, when the service has come no further. `_left` has the records that were read, and that
    the service has not handled: their partitions are paused meanwhile.
    """

    def __init__(
        self,
        catch_up: CatchUp,
        settings: dict[str, Any],
        batch: int,
        limits: AttemptLimits,
    ) -> None:
        self._catch_up, self._handover = catch_up, catch_up.handover
        self._settings, self._batch = settings, batch
        self._stopped = threading.Event()
        self._attempts = Attempts(catch_up, limits, self._stopped)
        self._reached: dict[int, int] = {}
        self._left: dict[int, list[Received]] = {}
        self._ended: set[int] = set()
        self._look_at = time.monotonic()
        self._connected = ConsumerClient(settings)
        self._client = self._connected.consumer
        # It asks where the service's group is, and never joins it.
        self._service = ConsumerClient({**settings, "group.id": self._handover.group})

    def stop(self) -> None:
        self._stopped.set()

    def subscribe(self) -> None:
        topic = self._handover.topic
        self._connected.partitions([topic])
        refuse_other_topic(self._handover, self._settings)
        self._client.subscribe(
            [topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked
        )

    def run(self, until: Callable[[], bool] | None) -> bool:
        while not self._stopped.is_set():
            if time.monotonic() >= self._look_at:
                if self._is_over():
                    return True
                self._look_at = time.monotonic() + _LOOK_SECONDS
            messages = self._client.consume(self._batch, _WAIT)
            self._connected.refuse_errors()
            if not messages and until is not None and until():
                return False
            ordered = sorted(messages, key=_number)
            for partition, of_partition in groupby(ordered, key=_number):
                if not self._stopped.is_set():
                    self._take(partition, list(of_partition))
        return False

    def close(self) -> None:
        self._commit(asynchronous=False)
        self._client.close()
        self._service.consumer.close()

    def _is_over(self) -> bool:
        """Goes on where the service was waited for, and hands over each partition that may be;
        whether that was the last one."""
        for partition in list(self._left):
            self._go_on(partition, self._left.pop(partition))
        self._open_again()
        committed = self._committed()
        for partition, reached in list(self._reached.items()):
            if partition in committed and self._catch_up.hand_over(
                partition, reached, committed[partition]
            ):
                self._end(partition)
                _LOG.info("partition handed over", extra=self._place(partition))
        self._commit(asynchronous=True)
        if not self._handover.is_over():
            return False
        # The topic may have got partitions of which nothing has come yet.
        [partitions] = self._service.partitions([self._handover.topic]).values()
        return self._handover.is_over(partitions)

    def _take(self, partition: int, messages: Sequence[Message]) -> None:
        """Handles what came of a partition, in its order, and notes its end."""
        records = self._left.pop(partition, [])
        end = None
        for message in messages:
            error = message.error()
            if error is None:
                records.append(received(message))
                end = None
            elif error.code() == KafkaError._PARTITION_EOF:
                end = message.offset()
            else:
                lost = "Cancel the handover, finish it, and start one from a later moment."
                refuse(error, message, lost)
        is_all = not records or self._go_on(partition, records)
        if is_all and end is not None:
            self._reached[partition] = end

    def _go_on(self, partition: int, records: list[Received]) -> bool:
        """Handles records of a partition up to where the service is; whether that was all of them.
        Where it was not, the partition is paused, and the others are left for later."""
        while not self._stopped.is_set():
            try:
                caught_up = self._attempts.handle(partition, records)
            except RecordFailed as failed:
                # Kafka is told, so that somebody may set the record aside.
                self._reached[partition] = failed.offset
                raise
            self._reached[partition] = caught_up.next
            records = [record for record in records if record.offset >= caught_up.next]
            if caught_up.ended:
                self._end(partition)
                return False
            if caught_up.stopped_at is not None:
                self._reached[partition] = caught_up.stopped_at
                self._left[partition] = records
                self._client.pause([self._at(partition)])
                return False
            if not records:
                self._client.resume([self._at(partition)])
                return True
        return False

    def _open_again(self) -> None:
        """Goes on in partitions that were handed over and that a process without the wrapper has
        had since."""
        if not self._ended:
            return
        for partition in sorted(self._ended & self._handover.open_partitions()):
            caught_up = self._catch_up.begin(partition)
            if not caught_up.ended:
                self._ended.remove(partition)
                self._reached[partition] = caught_up.next
                at = TopicPartition(self._handover.topic, partition, caught_up.next)
                self._client.seek(at)
                self._client.resume([at])

    def _end(self, partition: int) -> None:
        self._reached.pop(partition, None)
        self._ended.add(partition)
        self._client.pause([self._at(partition)])

    def _assigned(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """Each partition goes on where the database has it, or behind the record that the handler
        could not do, where somebody has set that aside."""
        at_group = {p.partition: p.offset for p in client.committed(partitions, _ASK_SECONDS)}
        ended = []
        for place in partitions:
            caught_up = self._catch_up.begin(place.partition)
            _, end = client.get_watermark_offsets(place, timeout=_ASK_SECONDS)
            refuse_shorter(self._handover, place.partition, end, "catch-up", caught_up.next)
            behind_failed = -1 if caught_up.failed_at is None else caught_up.failed_at + 1
            is_aside = at_group[place.partition] == behind_failed
            place.offset = behind_failed if is_aside else caught_up.next
            if caught_up.ended:
                ended.append(place)
                self._ended.add(place.partition)
            else:
                self._reached[place.partition] = place.offset
        client.incremental_assign(partitions)
        client.pause(ended)

    def _revoked(self, client: Consumer, partitions: list[TopicPartition]) -> None:
        """Between two records, so that nothing of these partitions is at hand."""
        for place in partitions:
            self._reached.pop(place.partition, None)
            self._left.pop(place.partition, None)
            self._ended.discard(place.partition)
        client.incremental_unassign(partitions)

    def _committed(self) -> dict[int, int]:
        """Where Kafka has the service's group, by partition: 0 where it has not committed; empty
        where Kafka does not answer, which is asked again."""
        places = [self._at(partition) for partition in self._reached]
        try:
            committed = self._service.consumer.committed(places, _ASK_SECONDS) if places else []
        except KafkaException as error:
            refuse(error.args[0])
            return {}
        return {p.partition: max(0, p.offset) for p in committed if p.error is None}

    def _commit(self, *, asynchronous: bool) -> None:
        """Tells Kafka how far the catch-up is, for those who look at its lag."""
        topic = self._handover.topic
        offsets = [TopicPartition(topic, p, reached) for p, reached in self._reached.items()]
        with suppress(KafkaException):
            if offsets and asynchronous:
                self._client.commit(offsets=offsets, asynchronous=True)
            elif offsets:
                self._client.commit(offsets=offsets, asynchronous=False)

    def _at(self, partition: int) -> TopicPartition:
        return TopicPartition(self._handover.topic, partition)

    def _place(self, partition: int) -> dict[str, str | int]:
        return {"topic": self._handover.topic, "partition": partition}


def _number(message: Message) -> int:
    """The partition of a message; -1 for an error that is of none."""
    partition = message.partition()
    return -1 if partition is None else partition
