"""Whatever a client takes at once, and wherever it fails: each record once, and in order."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from cutline.kafka import ClientSettings
from cutline.topics.kafka import sending
from cutline.topics.kafka.claim import Turn
from cutline.topics.kafka.pace import Pace, Throttle
from cutline.topics.kafka.producing import KafkaRecord, LostDelivery
from cutline.topics.kafka.progress import Progress
from cutline.topics.kafka.sending import SlotSender
from cutline.topics.kafka.slots import Publisher, Slot
from support.published import give, size_of

MOST_BYTES, MOST_RECORDS, BURST = 60, 7, 3
SLOT = Slot(0, "shop.order", 0)
SETTINGS = ClientSettings({"bootstrap.servers": "nowhere:1"})
PUBLISHER = Publisher("shop", "all", "run-1", 1, "shop.progress", 1, SETTINGS)


@dataclass
class Partition:
    """What is committed: transactions, and the progress that came with the last one."""

    failures: random.Random
    share: float
    transactions: list[list[KafkaRecord]] = field(default_factory=list)
    done: int = 0

    def records(self) -> list[KafkaRecord]:
        return [record for transaction in self.transactions for record in transaction]

    def take(self, *_: Any) -> Turn:
        progress = Progress(1, 0, "run-1", 0, self.done)
        producer: Any = Client(self)
        return Turn(producer, progress)


@dataclass
class Client:
    """A client of the partition that fails now and then, before a commit or behind it."""

    partition: Partition
    open: list[KafkaRecord] = field(default_factory=list)

    def send(self, topic: str, number: int, records: Iterable[KafkaRecord]) -> None:
        for record in records:
            self._fail()
            self.open.append(record)

    def commit(self, topic: str, number: int, progress: KafkaRecord) -> None:
        self._fail()
        assert progress.value is not None
        self.partition.transactions.append(self.open)
        self.partition.done = Progress.read(progress.value).done
        self.open = []
        self._fail()

    def poll(self, seconds: float = 0.0) -> None:
        pass

    def throw_away(self) -> None:
        pass

    def _fail(self) -> None:
        if self.partition.failures.random() < self.partition.share:
            raise LostDelivery("as a test wants it")


@given(
    st.lists(st.integers(0, 40), max_size=40),
    st.lists(st.integers(1, 12), min_size=1, max_size=12),
    st.integers(0, 50),
    st.booleans(),
    st.sampled_from([0.0, 0.05, 0.2]),
    st.randoms(use_true_random=False),
)
def test_each_record_is_committed_once_in_chunks_that_are_no_larger_than_they_may_be(
    values: list[int],
    batches: list[int],
    done: int,
    limited: bool,
    share: float,
    failures: random.Random,
) -> None:
    records = [KafkaRecord(b"k", b"v" * size, [], n) for n, size in enumerate(values)]
    done = min(done, len(records))
    partition = Partition(failures, share, [records[:done]] if done else [], done)
    rate = 1e9 if limited else None
    with (
        patch.object(sending, "_CHUNK_BYTES", MOST_BYTES),
        patch.object(sending, "_CHUNK_RECORDS", MOST_RECORDS),
        patch.object(sending, "_BURST_RECORDS", BURST),
        patch("cutline.topics.kafka.claim._PAUSE", 0.0),
    ):
        pace = Pace(Throttle(messages_per_second=rate), SETTINGS)
        consumer: Any = None
        sender = SlotSender(PUBLISHER, SLOT, 0, consumer, pace, partition.take)
        rest, turn = list(records), 0
        while rest:
            size = batches[turn % len(batches)]
            give(sender, rest[:size])
            rest, turn = rest[size:], turn + 1
        ended = sender.close()
    assert partition.records() == records
    assert partition.done == len(records)
    assert (ended.records, ended.bytes) == (len(records), sum(map(size_of, records)))
    for chunk in partition.transactions[1 if done else 0 :]:
        sizes = [*map(size_of, chunk)]
        assert len(chunk) <= MOST_RECORDS
        # But for the record by which it became so large.
        assert sum(sizes[:-1]) < MOST_BYTES
