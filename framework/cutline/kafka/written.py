"""Records of topics, read by Spark's tasks and written once, with an account of each part.

A task writes what it reads, and behind it how far it came and how many records that were. So what
goes wrong in a task comes back as a sentence, and what was written is held against what was read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError, ConservationError, CutlineError, RunFailed
from cutline.kafka.collector import collector_paused
from cutline.kafka.consume import PartReader
from cutline.kafka.parts import TopicPart
from cutline.kafka.settings import ClientSettings

if TYPE_CHECKING:
    from confluent_kafka import Message

ACCOUNT = pa.schema(
    [
        ("part", pa.int32()),
        ("reached", pa.int64()),
        ("records", pa.int64()),
        ("steps", pa.int64()),
        ("why", pa.string()),
    ]
)
"""Of a part: its number, up to where it was read, its records, the sum of their offsets from its
start on, and what went wrong; null for a record."""
_ACCOUNT_DDL = "part int, reached bigint, records bigint, steps bigint, why string"
_ERRORS: Mapping[str, type[CutlineError]] = {
    error.__name__: error for error in (ConfigurationError, RunFailed)
}


Encode = Callable[[TopicPart, "Sequence[Message]"], list[pa.Array]]


@dataclass(frozen=True)
class RecordFormat:
    """What a record becomes: `file`, the number of its partition among all, `number`, its offset,
    and further columns.

    `schema` and `ddl` are those of all columns. `encoder`, called once in each task, gives the
    function of some records of a part to the columns.
    """

    schema: pa.Schema
    ddl: str
    encoder: Callable[[], Encode]


@dataclass(frozen=True)
class TopicReading:
    """The parts that are read, and how. `key` is in cutline.yaml, for errors."""

    settings: ClientSettings
    parts: Sequence[TopicPart]
    key: str
    patience: float

    def reader(self) -> PartReader:
        """What reads the parts, made once in each task."""
        return PartReader(self.settings, self.key, self.patience)


class RecordReader(Protocol):
    """What reads parts: each in batches of records, which say their `offset()`."""

    def read(self, part: TopicPart) -> Iterator[Any]:
        """The records of a part, in batches, in order."""
        ...

    def close(self) -> None:
        """Give back what it holds open."""
        ...


class PartsReading(Protocol):
    """Parts of topics, or of what stands for them, and what reads them in a task."""

    @property
    def parts(self) -> Sequence[TopicPart]:
        """The parts."""
        ...

    @property
    def key(self) -> str:
        """Where they are in cutline.yaml, for errors."""
        ...

    def reader(self) -> RecordReader:
        """What reads the parts, made once in each task."""
        ...


def write_records(
    spark: SparkSession, reading: PartsReading, record_format: RecordFormat, folder: str
) -> tuple[DataFrame, dict[int, int]]:
    """The records of all parts, as they were written to `folder`, and their number by `file`.

    The frame has the columns of the format. Raises what went wrong in any task, and
    ConservationError if what was written is not what was read.
    """
    parts = list(reading.parts)
    read = _task(reading, record_format)
    ddl = f"{record_format.ddl}, {_ACCOUNT_DDL}"
    # One number is one task; what it reads is looked up there, in a list that is as short.
    tasks = spark.range(0, len(parts), 1, max(1, len(parts)))
    tasks.mapInArrow(read, ddl).write.mode("overwrite").parquet(folder)
    written = spark.read.schema(ddl).parquet(folder)
    # A row per part.
    accounts = written.where(F.col("part").isNotNull()).select(*ACCOUNT.names)
    by_part = {row["part"]: row for row in accounts.collect()}
    for row in by_part.values():
        if row["why"] is not None:
            raise _failure(row["why"])
    for number, part in enumerate(parts):
        if number not in by_part or by_part[number]["reached"] < part.end:
            raise _unread(part, reading.key)
    records = written.where(F.col("part").isNull()).drop(*ACCOUNT.names)
    read_counts: Counter[int] = Counter()
    offset_sums: Counter[int] = Counter()
    for number, part in enumerate(parts):
        count = int(by_part[number]["records"])
        read_counts[part.slot] += count
        offset_sums[part.slot] += int(by_part[number]["steps"]) + count * part.start
    _refuse_others(records, parts, read_counts, offset_sums, reading.key)
    return records, dict(read_counts)


def _task(
    reading: PartsReading, record_format: RecordFormat
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does: read the parts whose numbers it is given."""
    schema = pa.unify_schemas([record_format.schema, ACCOUNT])

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = [number.as_py() for batch in batches for number in batch.column(0)]
        if not numbers:
            return
        number, count, steps = numbers[0], 0, 0
        try:
            encode = record_format.encoder()
            reader = reading.reader()
            try:
                for number in numbers:
                    part, count, steps = reading.parts[number], 0, 0
                    for messages in reader.read(part):
                        count += len(messages)
                        with collector_paused():
                            steps += sum(int(m.offset() or 0) - part.start for m in messages)
                            columns = encode(part, messages)
                        yield _padded(columns, schema, len(messages))
                    yield _account(schema, number, part.end, count, steps, None)
            finally:
                reader.close()
        except CutlineError as error:
            yield _account(schema, number, -1, count, steps, _text(error))

    return read


def _padded(columns: list[pa.Array], schema: pa.Schema, size: int) -> pa.RecordBatch:
    """Records, with an account of nothing."""
    nothing = [pa.nulls(size, field.type) for field in ACCOUNT]
    return pa.RecordBatch.from_arrays([*columns, *nothing], schema=schema)


def _account(
    schema: pa.Schema, number: int, reached: int, count: int, steps: int, why: str | None
) -> pa.RecordBatch:
    """An account, beside no record."""
    values = [number, reached, count, steps, why]
    account = [pa.array([v], field.type) for v, field in zip(values, ACCOUNT, strict=True)]
    nothing = [pa.nulls(1, field.type) for field in list(schema)[: -len(ACCOUNT)]]
    return pa.RecordBatch.from_arrays([*nothing, *account], schema=schema)


def _text(error: CutlineError) -> str:
    kind = type(error).__name__
    return json.dumps([kind, error.what, error.left_behind, error.next_step])


def _failure(text: str) -> CutlineError:
    kind, sentence, left_behind, next_step = json.loads(text)
    return _ERRORS.get(kind, RunFailed)(sentence, left_behind=left_behind, next_step=next_step)


def _unread(part: TopicPart, key: str) -> ConservationError:
    return ConservationError(
        f"{key}: {part}: the offsets {part.start:,} to {part.end - 1:,} were not read to their end",
        left_behind="Nothing was written.",
        next_step="This is a defect of Cutline: please report it.",
    )


def _refuse_others(
    records: DataFrame,
    parts: Sequence[TopicPart],
    counts: Mapping[int, int],
    sums: Mapping[int, int],
    key: str,
) -> None:
    """ConservationError, naming the partition, if a record was lost or doubled on the way.

    By `counts` of what was read, and `sums` of offsets, both by partition.
    """
    # A row per partition.
    rows = records.groupBy("file").agg(
        F.count(F.lit(1)).alias("records"),
        F.sum(F.col("number").cast("decimal(38,0)")).alias("offsets"),
    )
    written = {row["file"]: (row["records"], int(row["offsets"])) for row in rows.collect()}
    for place in {part.slot: part for part in parts}.values():
        count, offsets = written.get(place.slot, (0, 0))
        if (count, offsets) != (counts[place.slot], sums[place.slot]):
            raise ConservationError(
                f"{key}: {place}: {counts[place.slot]:,} records were read, and {count:,} written; "
                f"their offsets sum to {sums[place.slot]:,} and to {offsets:,}",
                left_behind="Nothing was written.",
                next_step="This is a defect of Cutline: please report it.",
            )
