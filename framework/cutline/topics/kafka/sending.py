"""Sending one partition's records: chunk by chunk, each a transaction with its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from confluent_kafka import Consumer

from cutline.topics.kafka.claim import (
    TRANSIENT,
    Turn,
    commit_progress,
    stop_if_refused,
    take_turn,
    until_it_succeeds,
)
from cutline.topics.kafka.failures import AGAIN, Failure, PublishingStopped
from cutline.topics.kafka.pace import Pace
from cutline.topics.kafka.producing import KafkaRecord
from cutline.topics.kafka.slots import Publisher, Slot

_CHUNK_SECONDS = 5.0
_CHUNK_BYTES = 16 << 20
_CHUNK_RECORDS = 50_000
_BURST_RECORDS = 256
_LONG_DELAY = 1.0


@dataclass(frozen=True)
class SentRecords:
    """What a task did with a partition: records of the run and their bytes, and those sent now."""

    records: int
    sent: int
    bytes: int


class SlotSender:
    """Sends the records of one slot, which always come in the same order, all of them.

    Those up to the committed progress are passed over. After any error the producer is thrown
    away, and what the transaction held is sent again by a new one, from what is committed; so each
    record is committed once. What one transaction holds is kept in memory until it ends.
    """

    def __init__(
        self,
        publisher: Publisher,
        slot: Slot,
        attempt: int,
        consumer: Consumer,
        pace: Pace,
        take: Callable[..., Turn] = take_turn,
    ) -> None:
        self._publisher, self._slot, self._attempt = publisher, slot, attempt
        self._consumer, self._pace, self._take = consumer, pace, take
        self.turn = until_it_succeeds(publisher, slot, self._new_turn)
        self._chunk: list[KafkaRecord] = []
        self._chunk_bytes, self._begun = 0, 0.0
        self._place = self._sent = self._bytes = 0
        self._most_bytes = min(pace.chunk_bytes or _CHUNK_BYTES, _CHUNK_BYTES)
        self._most_seconds = pace.chunk_seconds or _CHUNK_SECONDS
        # Where records have a rate, each one waits for its time.
        self._most_at_once = 1 if pace.limits_rate else _BURST_RECORDS

    def send(self, records: Sequence[KafkaRecord], sizes: Sequence[int]) -> None:
        """Send what is not sent yet of the next records of the slot; `sizes` are their bytes."""
        self._bytes += sum(sizes)
        start = 0
        while start < len(records):
            done = min(self.turn.progress.done - self._place, len(records) - start)
            if done > 0:
                self._place += done
                start += done
                continue
            end = self._end_of_burst(sizes, start)
            self._send_burst(records[start:end], sum(sizes[start:end]))
            start = end

    def close(self) -> SentRecords:
        """Commit the rest. How many records the slot has, and what was sent now."""
        self._commit()
        self.turn.producer.throw_away()
        if self.turn.progress.done > self._place:
            raise PublishingStopped(
                Failure(
                    AGAIN,
                    f"{self._slot} holds {self.turn.progress.done:,} records of run "
                    f"{self._publisher.run_id}, which has {self._place:,} for it",
                    "The lake was changed since they were sent: find out by what.",
                )
            )
        return SentRecords(self._place, self._sent, self._bytes)

    def _keep_pace(self, size: int) -> None:
        delay = self._pace.delay(size)
        if delay > _LONG_DELAY and self._chunk:
            # Nothing is left open while nothing is sent: it would hide what stands behind it.
            self._commit()
        if delay:
            self._pace.wait(delay)

    def _end_of_burst(self, sizes: Sequence[int], start: int) -> int:
        """Where the records end that are handed over at once: a chunk is no longer than it may be
        but for the record that makes it so."""
        most = min(self._most_at_once, _CHUNK_RECORDS - len(self._chunk))
        end = min(start + most, len(sizes))
        room = self._most_bytes - self._chunk_bytes
        for place in range(start, end):
            room -= sizes[place]
            if room <= 0:
                return place + 1
        return end

    def _send_burst(self, records: Sequence[KafkaRecord], size: int) -> None:
        self._keep_pace(size)
        if not self._chunk:
            self._begun = time.monotonic()
        self._place += len(records)
        self._chunk += records
        self._chunk_bytes += size
        try:
            self._produce(records)
        except TRANSIENT as error:
            self._begin_again(error)
        if self._is_due():
            self._commit()

    def _produce(self, records: Sequence[KafkaRecord]) -> None:
        self.turn.producer.send(self._slot.topic, self._slot.partition, records)

    def _is_due(self) -> bool:
        return (
            self._chunk_bytes >= self._most_bytes
            or len(self._chunk) >= _CHUNK_RECORDS
            or (len(self._chunk) > 0 and time.monotonic() - self._begun >= self._most_seconds)
        )

    def _commit(self) -> None:
        while self._chunk:
            progress = replace(self.turn.progress, done=self._place)
            try:
                commit_progress(self.turn.producer, self._publisher, self._slot, progress)
            except TRANSIENT as error:
                # It may have been committed all the same: the next turn reads whether it was.
                self._begin_again(error)
                continue
            self.turn.progress = progress
            self._chunk_ended()
        self._pace.rest(self.turn.producer.poll)

    def _begin_again(self, error: Exception) -> None:
        """A new producer, to which what is not committed was handed over again."""
        stop_if_refused(self._publisher, self._slot, error)
        self.turn.producer.throw_away()
        until_it_succeeds(self._publisher, self._slot, self._handed_over_again)

    def _handed_over_again(self) -> None:
        first = self._place - len(self._chunk) + 1
        self.turn = self._new_turn()
        done = self.turn.progress.done
        if done >= self._place:
            self._chunk_ended()
            return
        try:
            for place in range(done - first + 1, len(self._chunk), _BURST_RECORDS):
                self._produce(self._chunk[place : place + _BURST_RECORDS])
        except BaseException:
            self.turn.producer.throw_away()
            raise

    def _new_turn(self) -> Turn:
        return self._take(
            self._publisher,
            self._slot,
            self._attempt,
            self._consumer,
            self._pace.statistics,
            self._pace.throttle_seconds,
        )

    def _chunk_ended(self) -> None:
        self._sent += len(self._chunk)
        self._pace.worked(time.monotonic() - self._begun)
        self._chunk, self._chunk_bytes = [], 0
