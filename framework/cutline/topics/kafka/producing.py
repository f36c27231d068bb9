"""One transactional producer, for one life: after any error it is thrown away."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import KafkaError, KafkaException, Producer

from cutline.kafka import ClientSettings
from cutline.topics.kafka.reading import QUIET

if TYPE_CHECKING:
    from confluent_kafka import Message

_TRANSACTION_MS = 60_000
"""After this the broker ends a transaction that nobody continues."""

_AS_PRODUCERS = {
    "enable.idempotence": "true",
    "acks": "all",
    "transaction.timeout.ms": str(_TRANSACTION_MS),
    "partitioner": "murmur2_random",
    "linger.ms": "20",
    "queue.buffering.max.messages": "200000",
    # Of what was delivered a report is a call for each record, and says nothing new: flushing waits
    # for all of them, and a transaction of which one was refused cannot be committed.
    "delivery.report.only.error": True,
}
_DEFAULTS = {"compression.type": "zstd", "batch.size": "262144"}


class KafkaRecord(NamedTuple):
    """A record as it is sent; `millis` is its time since 1970, null for now."""

    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]]
    millis: int | None


class LostDelivery(Exception):
    """Records were handed over that Kafka did not confirm; the transaction is not committed."""


class _Refusals:
    """What Kafka did not take. Apart from the producer, which would keep itself alive by it."""

    def __init__(self) -> None:
        self.first: KafkaError | None = None

    def report(self, error: KafkaError | None, _: Message) -> None:
        """Keep an error, rather one that says why than one that says that all was given up."""
        if error is not None and (
            self.first is None or self.first.code() == KafkaError._PURGE_QUEUE
        ):
            self.first = error


class TransactionalProducer:
    """A producer whose transactions hold data and progress. KafkaException whatever goes wrong, but
    LostDelivery for what was not confirmed in time.

    Beginning it ends the transaction that an older one of its id left open, and fences that one.
    `on_throttle` gets the seconds by which a broker delayed a request, for a client quota.
    """

    def __init__(
        self,
        settings: ClientSettings,
        transactional_id: str,
        commit_seconds: float,
        on_statistics: Callable[[str], None] | None = None,
        on_throttle: Callable[[float], None] | None = None,
    ) -> None:
        self._commit_seconds = commit_seconds
        self._is_open = False
        self._refusals = _Refusals()
        watched = {"statistics.interval.ms": "1000", "stats_cb": on_statistics}
        delayed = {"throttle_cb": lambda event: on_throttle and on_throttle(event.throttle_time)}
        self._producer = Producer(
            {
                **QUIET,
                **_DEFAULTS,
                **settings.with_secrets(),
                **_AS_PRODUCERS,
                **(watched if on_statistics else {}),
                **(delayed if on_throttle else {}),
                "transactional.id": transactional_id,
                "on_delivery": self._refusals.report,
            }
        )
        self._producer.init_transactions(commit_seconds)

    def send(self, topic: str, partition: int, records: Iterable[KafkaRecord]) -> None:
        """Hand records over in their order; a transaction is begun if none is open. What Kafka
        refuses is noticed at the end, so they are some hundred at most."""
        if not self._is_open:
            self._producer.begin_transaction()
            self._is_open = True
        # By its stubs headers are lists of more than ours hold.
        produce: Callable[..., None] = self._producer.produce
        for key, value, headers, millis in records:
            while True:
                try:
                    # Zero is the client's word for now.
                    produce(topic, value, key, partition, timestamp=millis or 0, headers=headers)
                    break
                except BufferError:
                    # The queue is full: wait until something of it is confirmed.
                    self.poll(0.1)
                    self._raise_refused()
                except KafkaException:
                    # Perhaps only that the transaction must end: why, a report may say.
                    self.poll(0.1)
                    self._raise_refused()
                    raise
        self.poll()
        self._raise_refused()

    def commit(self, topic: str, partition: int, progress: KafkaRecord) -> None:
        """End the transaction, with `progress` as its last record. Never called again after an
        error: whether it was committed is not known then."""
        # First all data: the progress topic is shared, and what is open there hides what follows.
        self.flush()
        self.send(topic, partition, [progress])
        with self._fatal_errors():
            self._producer.commit_transaction(self._commit_seconds)
        self._raise_refused()
        self._is_open = False

    def flush(self) -> None:
        """Wait until all that was handed over is confirmed."""
        with self._fatal_errors():
            left = self._producer.flush(self._commit_seconds)
        self._raise_refused()
        if left:
            raise LostDelivery(f"{left:,} records were not confirmed")

    def poll(self, seconds: float = 0.0) -> None:
        """Let statistics and delivery reports come in, waiting for them at most so long."""
        with self._fatal_errors():
            self._producer.poll(seconds)

    def throw_away(self) -> None:
        """End it without a word to the broker; what it had not committed never happened."""
        with contextlib.suppress(KafkaException):
            self._producer.purge(in_queue=True, in_flight=True, blocking=False)
        with contextlib.suppress(KafkaException, SystemError):
            self._producer.poll(0)

    def _raise_refused(self) -> None:
        if self._refusals.first is not None:
            raise KafkaException(self._refusals.first)

    @contextlib.contextmanager
    def _fatal_errors(self) -> Iterator[None]:
        """A fatal error as itself: the client raises it, and then calls our report of a delivery,
        which Python does not allow. What is left is a SystemError, with the fatal one as its cause
        or with none."""
        try:
            yield
        except SystemError as error:
            fatal = error.__cause__ or self._fatal_error()
            if isinstance(fatal, KafkaException):
                raise fatal from None
            raise

    def _fatal_error(self) -> KafkaException | None:
        """Why the client does nothing any more; null while it still works."""
        try:
            # After a fatal error it is refused with that one; otherwise nothing is sent by it.
            self._producer.begin_transaction()
        except KafkaException as error:
            return error if error.args[0].fatal() else None
        return None
