"""The turn of one Spark task at one partition: taken by its producer and a claim, or refused."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException

from cutline.errors import CutlineError
from cutline.topics.kafka.failures import (
    AGAIN,
    BUSY,
    Failure,
    PublishingStopped,
    refusal,
    unanswered,
)
from cutline.topics.kafka.producing import KafkaRecord, LostDelivery, TransactionalProducer
from cutline.topics.kafka.progress import Progress, last_progress, progress_partition
from cutline.topics.kafka.reading import Unfinished, admin_client, high_watermark
from cutline.topics.kafka.slots import Publisher, Slot

TRANSIENT = (KafkaException, LostDelivery, Unfinished)
"""What is tried again with a new producer, from what is committed."""

_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_T = TypeVar("_T")


class NewerAttempt(Exception):
    """A later attempt of the same Spark task has the partition: this one has nothing to do."""


@dataclass
class Turn:
    """A producer that claimed a partition, and what was committed there when it did."""

    producer: TransactionalProducer
    progress: Progress


def take_turn(
    publisher: Publisher,
    slot: Slot,
    attempt: int,
    consumer: Consumer,
    on_statistics: Callable[[str], None] | None = None,
    on_throttle: Callable[[float], None] | None = None,
) -> Turn:
    """Fence older producers, *then* read the progress, and commit a claim.

    The run's progress goes on where it was; that of another run, or none, begins at the end of the
    partition. PublishingStopped if a process of a higher epoch has the slice, NewerAttempt if a
    later attempt of this task has the partition; then nothing is written.
    """
    producer = TransactionalProducer(
        publisher.settings,
        publisher.transactional_id(slot),
        publisher.commit_seconds,
        on_statistics,
        on_throttle,
    )
    try:
        newest = last_progress(publisher, slot, consumer)
        _refuse_older(publisher, slot, attempt, newest)
        if newest is not None and newest.run == publisher.run_id:
            base, done = newest.base, newest.done
        else:
            base, done = high_watermark(publisher, slot.topic, slot.partition), 0
        claim = Progress(
            publisher.epoch,
            attempt,
            publisher.run_id,
            base,
            done,
            newest.records if newest else {},
        )
        commit_progress(producer, publisher, slot, claim)
    except BaseException:
        producer.throw_away()
        raise
    return Turn(producer, claim)


def commit_progress(
    producer: TransactionalProducer, publisher: Publisher, slot: Slot, progress: Progress
) -> None:
    """End the producer's transaction with this progress of the slot in it."""
    key = publisher.progress_key(slot).encode()
    record = KafkaRecord(key, progress.stored(), [], None)
    producer.commit(publisher.progress_topic, progress_partition(publisher, slot), record)


def until_it_succeeds(publisher: Publisher, slot: Slot, work: Callable[[], _T]) -> _T:
    """What `work` returns, tried again after what may pass; PublishingStopped after what may not,
    and after the publisher's patience."""
    began, pause = time.monotonic(), _PAUSE
    while True:
        try:
            return work()
        except CutlineError as error:
            # Such as a secret that is not to be had where this task runs.
            raise PublishingStopped(Failure(AGAIN, error.what, error.next_step)) from error
        except TRANSIENT as error:
            stop_if_refused(publisher, slot, error)
            waited = time.monotonic() - began
            if waited + pause > publisher.patience:
                raise PublishingStopped(
                    unanswered(error, str(slot), publisher.bootstrap, waited)
                ) from error
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def stop_if_refused(publisher: Publisher, slot: Slot, error: Exception) -> None:
    """PublishingStopped if the error says that trying again is of no use."""
    if isinstance(error, KafkaException):
        failure = refusal(error, str(slot), publisher.bootstrap)
        if failure is None and _is_gone(publisher, slot, error):
            failure = refusal(KafkaError(KafkaError._UNKNOWN_TOPIC), str(slot), publisher.bootstrap)
        if failure is not None:
            raise PublishingStopped(failure) from error


def _is_gone(publisher: Publisher, slot: Slot, error: KafkaException) -> bool:
    """Whether an error for want of leaders is one of a topic that is not there."""
    if error.args[0].code() != KafkaError._NOENT:
        return False
    with contextlib.suppress(KafkaException):
        return slot.topic not in admin_client(publisher.settings).list_topics(timeout=5).topics
    return False


def _refuse_older(publisher: Publisher, slot: Slot, attempt: int, newest: Progress | None) -> None:
    if newest is None or (newest.epoch, newest.attempt) <= (publisher.epoch, attempt):
        return
    if newest.epoch == publisher.epoch:
        raise NewerAttempt(f"{slot}: attempt {newest.attempt} works on it, not {attempt}")
    raise PublishingStopped(
        Failure(
            BUSY,
            f"{slot} is published to by a newer process, of run {newest.run}, that took over the "
            f"slice {publisher.context}/{publisher.region}",
            "See who works on the slice with `cutline status`, then run the command again.",
        )
    )
