"""One partition is sent to in transactions that hold data and progress."""

from __future__ import annotations

import itertools
import json
import threading
import time

import pytest
from confluent_kafka import Consumer, TopicPartition

from cutline.topics.kafka import outpaced, sending
from cutline.topics.kafka.claim import NewerAttempt, take_turn
from cutline.topics.kafka.failures import PublishingStopped
from cutline.topics.kafka.live_load import LagLimit, lag_of
from cutline.topics.kafka.outpaced import wait_for_newer
from cutline.topics.kafka.pace import Pace, Throttle
from cutline.topics.kafka.producing import TransactionalProducer
from cutline.topics.kafka.progress import last_progress
from cutline.topics.kafka.reading import reader
from cutline.topics.kafka.sending import SlotSender
from cutline.topics.kafka.slots import Slot
from support.published import (
    bootstrap,
    give,
    new_name,
    numbered,
    publisher,
    send,
    size_of,
    slots_on,
    values,
)
from support.servers.kafka import KafkaBroker, Record

pytestmark = pytest.mark.kafka


@pytest.fixture
def prefix() -> str:
    return new_name("sending")


@pytest.fixture
def slot(kafka_broker: KafkaBroker, prefix: str) -> Slot:
    [slot] = slots_on(kafka_broker, prefix)
    return slot


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_CHUNK_RECORDS", 10)


def test_records_come_in_order_with_all_that_they_hold(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    records = [*numbered(3), numbered(1, 3)[0]._replace(key=None, value=None)]
    ended = send(publisher(bootstrap(kafka_broker), prefix), slot, records).close()
    assert (ended.records, ended.sent) == (4, 4)
    assert ended.bytes == sum(map(size_of, records))
    messages = kafka_broker.read(slot.topic)
    assert [(m.key(), m.value(), m.headers(), m.timestamp()[1]) for m in messages] == [
        (r.key, r.value, r.headers, r.millis) for r in records
    ]


def test_a_run_that_was_stopped_goes_on_behind_its_last_chunk(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot, small_chunks: None
) -> None:
    stopped = publisher(bootstrap(kafka_broker), prefix)
    # Two chunks of ten are committed; five records are in a transaction that nobody ends.
    send(stopped, slot, numbered(25))
    ended = send(publisher(bootstrap(kafka_broker), prefix, epoch=2), slot, numbered(40)).close()
    assert (ended.records, ended.sent) == (40, 20)
    assert values(kafka_broker, slot.topic) == list(range(40))


def test_another_run_begins_at_the_end_of_the_partition(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    settings = bootstrap(kafka_broker)
    send(publisher(settings, prefix), slot, numbered(5)).close()
    send(publisher(settings, prefix, "run-2", 2), slot, numbered(3, 5)).close()
    assert values(kafka_broker, slot.topic) == list(range(8))
    progress = last_progress(publisher(settings, prefix), slot, reader(settings))
    assert progress is not None
    # Five records and the marker of their transaction.
    assert (progress.run, progress.epoch, progress.base, progress.done) == ("run-2", 2, 6, 3)


def test_an_older_epoch_writes_nothing(kafka_broker: KafkaBroker, prefix: str, slot: Slot) -> None:
    settings = bootstrap(kafka_broker)
    send(publisher(settings, prefix, "run-2", epoch=2), slot, numbered(5)).close()
    with pytest.raises(PublishingStopped) as stopped:
        send(publisher(settings, prefix, "run-1", epoch=1), slot, numbered(9))
    assert stopped.value.failure.kind == "busy"
    assert f"{slot.topic}[0] is published to by a newer process, of run run-2" in str(stopped.value)
    assert values(kafka_broker, slot.topic) == list(range(5))
    progress = last_progress(publisher(settings, prefix), slot, reader(settings))
    assert progress is not None
    assert (progress.run, progress.epoch) == ("run-2", 2)


def test_who_is_fenced_in_the_middle_by_a_newer_process_stops(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot, small_chunks: None
) -> None:
    settings = bootstrap(kafka_broker)
    older = send(publisher(settings, prefix), slot, numbered(15))
    newer = send(publisher(settings, prefix, epoch=2), slot, numbered(12))
    with pytest.raises(PublishingStopped, match="newer process"):
        give(older, numbered(30, 15))
    give(newer, numbered(18, 12))
    assert newer.close().records == 30
    assert values(kafka_broker, slot.topic) == list(range(30))


def test_who_is_fenced_by_an_older_process_goes_on(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot, small_chunks: None
) -> None:
    """A zombie that wakes up fences the newer one, reads that it is older, and writes nothing."""
    settings = bootstrap(kafka_broker)
    newer = send(publisher(settings, prefix, epoch=2), slot, numbered(15))
    for _ in range(2):
        with pytest.raises(PublishingStopped):
            send(publisher(settings, prefix, epoch=1), slot, numbered(15))
    give(newer, numbered(15, 15))
    assert newer.close().records == 30
    assert values(kafka_broker, slot.topic) == list(range(30))


@pytest.fixture
def later_attempt(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot, small_chunks: None
) -> SlotSender:
    """A sender that has five records and the partition, which an earlier attempt has lost to it."""
    slice_publisher = publisher(bootstrap(kafka_broker), prefix)
    first = send(slice_publisher, slot, numbered(15), attempt=3)
    later = send(slice_publisher, slot, numbered(5), attempt=4)
    with pytest.raises(NewerAttempt):
        give(first, numbered(15, 15))
    return later


def test_of_two_attempts_of_one_task_the_later_has_the_partition(
    kafka_broker: KafkaBroker, slot: Slot, later_attempt: SlotSender
) -> None:
    give(later_attempt, numbered(25, 5))
    later_attempt.close()
    assert values(kafka_broker, slot.topic) == list(range(30))


class WorkingClock:
    """A clock that goes by what is slept, and in whose first sleeps the later attempt works."""

    def __init__(self, sender: SlotSender, batches: list[int]) -> None:
        self.now, self._sender, self._batches = 0.0, sender, batches

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self._batches:
            give(self._sender, numbered(5, self._batches.pop(0)))


def test_an_attempt_that_lost_its_partition_waits_while_the_later_one_works(
    kafka_broker: KafkaBroker,
    prefix: str,
    slot: Slot,
    later_attempt: SlotSender,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If it failed at once, Spark would count it against the task."""
    slice_publisher = publisher(bootstrap(kafka_broker), prefix)
    clock = WorkingClock(later_attempt, list(range(5, 30, 5)))
    monkeypatch.setattr(outpaced, "time", clock)
    consumer = reader(slice_publisher.settings)
    wait_for_newer(slice_publisher, slot, consumer, stalled_seconds=20, look_seconds=8)
    later_attempt.close()
    assert values(kafka_broker, slot.topic) == list(range(30))
    # The first of five looks at work is at 8, the last at 40: 20 seconds behind it are over at 64.
    assert clock.now == 64


def test_two_regions_have_a_partition_beside_each_other(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    settings = bootstrap(kafka_broker)
    north = send(publisher(settings, prefix), slot, numbered(3))
    south = send(publisher(settings, prefix, "run-9", region="south"), slot, numbered(3, 10))
    assert (north.close().sent, south.close().sent) == (3, 3)
    assert sorted(values(kafka_broker, slot.topic)) == [0, 1, 2, 10, 11, 12]


def test_an_open_transaction_of_another_is_waited_for(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    """What stands behind it would be hidden, and the run would begin anew."""
    settings = bootstrap(kafka_broker)
    slice_publisher = publisher(settings, prefix)
    send(slice_publisher, slot, numbered(2)).close()
    stranger = TransactionalProducer(settings, f"{prefix}/stranger", 10)
    for number in range(2):
        stranger.send(slice_publisher.progress_topic, number, numbered(1))
    stranger.flush()
    again = publisher(settings, prefix, epoch=2)
    timer = threading.Timer(
        2.0, stranger.commit, (slice_publisher.progress_topic, 0, numbered(1)[0])
    )
    timer.start()
    turn = take_turn(again, slot, 0, reader(settings))
    timer.join()
    assert turn.progress.done == 2


def test_a_transaction_that_nobody_ends_is_named(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    settings = bootstrap(kafka_broker)
    slice_publisher = publisher(settings, prefix, patience=3)
    send(slice_publisher, slot, numbered(2)).close()
    stranger = TransactionalProducer(settings, f"{prefix}/stranger", 10)
    for number in range(2):
        stranger.send(slice_publisher.progress_topic, number, numbered(1))
    stranger.flush()
    with pytest.raises(PublishingStopped, match="a transaction there is not ended"):
        send(slice_publisher, slot, numbered(2))


def test_a_rate_is_kept(kafka_broker: KafkaBroker, prefix: str, slot: Slot) -> None:
    slice_publisher = publisher(bootstrap(kafka_broker), prefix)
    began = time.monotonic()
    send(slice_publisher, slot, numbered(60), throttle=Throttle(messages_per_second=20)).close()
    assert time.monotonic() - began > 2.3
    assert values(kafka_broker, slot.topic) == list(range(60))


def test_transactions_are_as_small_as_a_quota_asks(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    slice_publisher = publisher(bootstrap(kafka_broker), prefix)
    # No broker keeps it here: what is looked at is what one transaction holds.
    send(
        slice_publisher,
        slot,
        numbered(60, size=100),
        throttle=Throttle(broker_bytes_per_second=200),
    ).close()
    assert values(kafka_broker, slot.topic) == list(range(60))
    progress = [
        json.loads(m.value() or b"") for m in kafka_broker.read(slice_publisher.progress_topic)
    ]
    steps = [p["done"] for p in progress]
    # A thousand bytes are at most ten records of more than a hundred.
    assert max(b - a for a, b in itertools.pairwise(steps)) <= 10
    assert steps[-1] == 60


def test_a_group_that_falls_behind_slows_what_is_sent(
    kafka_broker: KafkaBroker, prefix: str, slot: Slot
) -> None:
    settings = bootstrap(kafka_broker)
    live = kafka_broker.create_topic(f"{prefix}.shop.order.live")
    kafka_broker.produce(live, [Record(b"k", b"v")] * 5)
    group = Consumer({**settings.with_secrets(), "group.id": prefix, "enable.auto.commit": "false"})
    group.commit(offsets=[TopicPartition(live, 0, 5)], asynchronous=False)
    limit = LagLimit(prefix, live, 10)
    assert lag_of(settings, limit) == 0
    pace = Pace(Throttle(lag=(limit,)), settings)
    pace.worked(0.5)
    pace.rest(lambda: None)
    assert pace.slowed == 0
    kafka_broker.produce(live, [Record(b"k", b"v")] * 20)
    assert lag_of(settings, limit) == 20
    pace = Pace(Throttle(lag=(limit,)), settings)
    pace.worked(0.5)
    pace.rest(lambda: None)
    assert pace.slowed == 0.5
    assert [p.offset for p in group.committed([TopicPartition(live, 0)])] == [5]
    group.close()
