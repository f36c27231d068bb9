"""What Spark's tasks do with partitions of topics, by `mapInArrow`: claim, send, read, tally.

Each returns a small frame, of a row per slot, or the records read. What a task cannot go on with is
a row with a `failure`, not an error, so that it arrives in words.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cutline.kafka.collector import collector_paused
from cutline.topics.kafka.arrow_records import records_of, sizes_of
from cutline.topics.kafka.claim import NewerAttempt, take_turn, until_it_succeeds
from cutline.topics.kafka.failures import PublishingStopped
from cutline.topics.kafka.outpaced import wait_for_newer
from cutline.topics.kafka.pace import Pace, Throttle
from cutline.topics.kafka.progress import Progress
from cutline.topics.kafka.reading import reader
from cutline.topics.kafka.sending import SlotSender
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.kafka.tally import RecordTally

if TYPE_CHECKING:
    Batches = Iterable[pa.RecordBatch]

CLAIMED = "slot int, base bigint, done bigint, failure string"
SENT = (
    "slot int, records bigint, sent bigint, bytes bigint, slowed double, throttled double, "
    "digest string, chain string, failure string"
)
TALLIED = "slot int, records bigint, first bigint, last bigint, digest string, chain string"
_AT_ONCE = 8


def claimed(spark: SparkSession, publisher: Publisher, slots: Sequence[Slot]) -> DataFrame:
    """One row per slot: where the run's records begin in it, and how many are dealt with."""
    by_number = {slot.number: slot for slot in slots}

    def claim(batches: Batches) -> Iterator[pa.RecordBatch]:
        attempt = _attempt()

        def row(number: int) -> tuple[int, int | None, int | None, str | None]:
            slot = by_number[number]
            try:
                progress = until_it_succeeds(publisher, slot, lambda: _claim(slot, attempt))
                return number, progress.base, progress.done, None
            except PublishingStopped as stopped:
                return number, None, None, stopped.failure.text()

        def _claim(slot: Slot, attempt: int) -> Progress:
            consumer = reader(publisher.settings)
            try:
                turn = take_turn(publisher, slot, attempt, consumer)
                turn.producer.throw_away()
                return turn.progress
            finally:
                consumer.close()

        for batch in batches:
            numbers = [by_number_of(n) for n in batch.column(0)]
            at_once = map if len(numbers) == 1 else _claiming_threads().map
            yield _batch(CLAIMED, list(at_once(row, numbers)))

    tasks = min(len(slots), spark.sparkContext.defaultParallelism)
    return spark.range(0, len(slots), 1, tasks).mapInArrow(claim, CLAIMED)


@functools.cache
def _claiming_threads() -> ThreadPoolExecutor:
    """Those of this process: each has a client of its own, which the next claims use again."""
    return ThreadPoolExecutor(_AT_ONCE)


def sent(
    rows: DataFrame, publisher: Publisher, slots: Sequence[Slot], throttle: Throttle
) -> DataFrame:
    """One row per slot with records: what was sent of `rows`, which `outgoing` made."""
    by_number = {slot.number: slot for slot in slots}

    def send(batches: Batches) -> Iterator[pa.RecordBatch]:
        task = _SendingTask(publisher, by_number, throttle)
        try:
            for batch in batches:
                for number, part in _parts(batch):
                    yield from task.add(number, part)
            yield from task.end_slot()
        except PublishingStopped as stopped:
            yield task.stopped(stopped)
        except NewerAttempt:
            task.wait_for_newer()
            raise
        finally:
            task.close()

    return rows.mapInArrow(send, SENT)


class _SendingTask:
    """The slots of one task, one after the other."""

    def __init__(self, publisher: Publisher, slots: Mapping[int, Slot], throttle: Throttle) -> None:
        self._publisher, self._slots = publisher, slots
        self._attempt = _attempt()
        self._consumer = reader(publisher.settings)
        self._pace = Pace(throttle, publisher.settings)
        self._number = -1
        self._sender: SlotSender | None = None
        self._tally = RecordTally()

    def add(self, number: int, part: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        if number != self._number:
            yield from self.end_slot()
            self._number, self._tally = number, RecordTally()
            self._sender = SlotSender(
                self._publisher, self._slots[number], self._attempt, self._consumer, self._pace
            )
        assert self._sender is not None
        self._tally.add(part.column("hash").to_numpy())
        # What a transaction holds would be looked through again and again.
        with collector_paused():
            self._sender.send(records_of(part), sizes_of(part))

    def end_slot(self) -> Iterator[pa.RecordBatch]:
        if self._sender is None:
            return
        done, sender = self._number, self._sender
        ended = sender.close()
        self._sender = None
        tally = self._tally
        figures = (ended.records, ended.sent, ended.bytes, self._pace.slowed, self._pace.throttled)
        yield _batch(SENT, [(done, *figures, tally.digest, tally.chain, None)])

    def stopped(self, stopped: PublishingStopped) -> pa.RecordBatch:
        nothing = (None,) * 7
        return _batch(SENT, [(self._number, *nothing, stopped.failure.text())])

    def wait_for_newer(self) -> None:
        wait_for_newer(self._publisher, self._slots[self._number], self._consumer)

    def close(self) -> None:
        self._consumer.close()


def tallied(rows: DataFrame) -> DataFrame:
    """One row per slot of `rows` (slot, offset, hash), whose Spark partitions hold whole slots in
    the order of offsets: how many there are, the first and last offset, and the digests."""

    def tally(batches: Batches) -> Iterator[pa.RecordBatch]:
        tallies: dict[int, tuple[RecordTally, list[int]]] = {}
        for batch in batches:
            for number, part in _parts(batch):
                count, ends = tallies.setdefault(number, (RecordTally(), []))
                offsets = part.column("offset").to_numpy()
                count.add(part.column("hash").to_numpy())
                ends[:] = [ends[0] if ends else int(offsets[0]), int(offsets[-1])]
        for number, (count, ends) in tallies.items():
            yield _batch(TALLIED, [(number, count.records, *ends, count.digest, count.chain)])

    return rows.select("slot", "offset", "hash").mapInArrow(tally, TALLIED)


def by_number_of(value: Any) -> int:
    """A slot's number, from a value of Arrow."""
    return int(value.as_py())


def _parts(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The slots of a batch that is sorted by them, each with its rows."""
    numbers = batch.column("slot").to_numpy()
    start = 0
    while start < len(numbers):
        number = int(numbers[start])
        end = start
        while end < len(numbers) and numbers[end] == number:
            # Almost always the whole batch is of one slot.
            end = len(numbers) if numbers[-1] == number else end + 1
        yield number, batch.slice(start, end - start)
        start = end


def _batch(ddl: str, rows: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    fields = [field.split() for field in ddl.split(", ")]
    schema = pa.schema([(name, _ARROW[kind]) for name, kind in fields])
    columns = zip(*rows, strict=True) if rows else [()] * len(fields)
    arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


_ARROW = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
}


def _attempt() -> int:
    """A number that is higher for each later attempt of this application; 0 outside of Spark."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.taskAttemptId())
