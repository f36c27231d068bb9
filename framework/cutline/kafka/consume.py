"""Reading one part of a partition: what is committed there, without any consumer group.

No group is joined and nothing is ever committed, so that no progress of anybody can be touched.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from cutline.errors import CutlineError, RunFailed
from cutline.kafka.cluster import QUIET
from cutline.kafka.failures import (
    CREDENTIALS,
    LOST,
    error_of,
    is_final,
    lost_records,
    read_failure,
    unanswered,
)
from cutline.kafka.parts import TopicPart
from cutline.kafka.settings import ClientSettings

if TYPE_CHECKING:
    from confluent_kafka import Message

_MOST = 5_000
_WAIT = 0.5

_READING: dict[str, Any] = {
    # The client asks for a name. No group is joined by it, as partitions are assigned by hand.
    "group.id": "cutline-reads-without-a-group",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "isolation.level": "read_committed",
    # By default a start that is gone is passed over without a word.
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
    "check.crcs": True,
    # The default of a second leaves the queue empty for most of the time.
    "fetch.queue.backoff.ms": 2,
    # At the end of a partition nothing is expected: the broker need not wait for more.
    "fetch.wait.max.ms": 20,
}


class PartReader:
    """A client that reads parts, one after the other, as one task does.

    `key` is in cutline.yaml, for errors. It gives up after so many seconds without any answer.
    """

    def __init__(self, settings: ClientSettings, key: str, patience: float) -> None:
        self._key, self._bootstrap, self._patience = key, settings.bootstrap, patience
        self._errors: list[KafkaError] = []
        bounded = {"queued.max.messages.kbytes": 16_384}
        try:
            self._consumer = Consumer(
                {
                    **bounded,
                    **settings.with_secrets(),
                    **QUIET,
                    **_READING,
                    "error_cb": self._errors.append,
                }
            )
        except KafkaException as error:
            place = "the cluster"
            raise read_failure(error_of(error), place, key, self._bootstrap) from error

    def close(self) -> None:
        """End the client."""
        self._consumer.close()

    def read(self, part: TopicPart) -> Iterator[list[Message]]:
        """The committed records of a part, in batches, in the order of offsets.

        It ends when the position is at the part's end: behind its last record there may be offsets
        without one, of markers of transactions, of what was aborted, or of what compaction removed.
        Raises what `read_failure` says.
        """
        self._consumer.assign([TopicPartition(part.topic, part.partition, part.start)])
        try:
            yield from self._batches(part)
        finally:
            self._consumer.unassign()

    def _batches(self, part: TopicPart) -> Iterator[list[Message]]:
        until = time.monotonic() + self._patience
        while True:
            # A call waits for all that it asks for: so for one, and then for what is there.
            messages = self._consumer.consume(1, _WAIT)
            messages += self._consumer.consume(_MOST, 0) if messages else []
            records: list[Message] = []
            ended = False
            for message in messages:
                error, offset = message.error(), message.offset()
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    if is_final(error):
                        raise self._failure(error, part)
                    self._errors.append(error)
                    continue
                until = time.monotonic() + self._patience
                # The end of a partition is behind its markers, which no record tells of.
                ended = offset is not None and offset >= part.end
                if ended:
                    break
                if error is None:
                    records.append(message)
                    ended = offset == part.end - 1
            if records:
                yield records
                until = time.monotonic() + self._patience
            if ended:
                return
            self._refuse(part, until)

    def _refuse(self, part: TopicPart, until: float) -> None:
        for error in self._errors:
            if error.code() in CREDENTIALS:
                raise self._failure(error, part)
        if time.monotonic() > until:
            reason = self._errors[-1].str() if self._errors else "nothing came"
            waited = f"{reason} (for {self._patience:.0f} s)"
            raise unanswered(waited, str(part), self._key, self._bootstrap)

    def _failure(self, error: KafkaError, part: TopicPart) -> CutlineError:
        if error.code() in LOST:
            place = TopicPartition(part.topic, part.partition)
            first, _ = self._consumer.get_watermark_offsets(place, timeout=self._patience)
            first = min(first, part.end)
            return lost_records(part.topic, part.partition, part.start, first, self._key, RunFailed)
        return read_failure(error, str(part), self._key, self._bootstrap)
