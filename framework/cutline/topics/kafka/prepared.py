"""Topics made ready for a run: made or checked, claimed, and what stands there looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from confluent_kafka import IsolationLevel, TopicPartition, Uuid
from confluent_kafka.admin._listoffsets import OffsetSpec
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.spark.no_rows import no_rows
from cutline.topics.kafka.claim import until_it_succeeds
from cutline.topics.kafka.failures import Failure, PublishingStopped
from cutline.topics.kafka.reading import FIRST, LAST, offsets
from cutline.topics.kafka.records import OffsetRange, committed_records
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.kafka.standing import STANDING
from cutline.topics.kafka.tasks import claimed
from cutline.topics.record import RUN_HEADER


@dataclass(frozen=True)
class PreparedTopics:
    """The slots of some topics, where the run's records begin in each by its number, and what
    stands there of the slice from before; null where nothing can."""

    slots: Sequence[Slot]
    bases: Mapping[int, int]
    standing: DataFrame | None


class FindStanding(Protocol):
    """Finds what stands there, in the columns of STANDING: among records as they were read, and
    among what stood there `before` them."""

    def __call__(self, records: DataFrame, *, before: DataFrame | None) -> DataFrame: ...


@dataclass(frozen=True)
class LookedUp:
    """What an earlier run of the slice found standing on some slots, and up to which offset of each
    slot, by its number, it has read."""

    rows: DataFrame
    ends: Mapping[int, int]


_PLACES = "topic string, partition int, topic_id string, base bigint, standing string"
"""Up to where a run looked topics up, and the name of the table of what it found; null for none."""


_NO_ID = str(Uuid(0, 0))
"""The id of a topic on brokers that give none."""


def prepared_topics(
    spark: SparkSession,
    publisher: Publisher,
    slots: Sequence[Slot],
    lake: Lake,
    standing: FindStanding,
    ids: Mapping[str, str] | None,
    earlier: Lake | None,
) -> PreparedTopics:
    """Claim the slots and look up what stands there before the run's records.

    It is kept in the run's lake, so that the run's next attempt compares with the same, whatever
    the topics have removed since. The run that goes on from this one reads behind it only, in the
    topics of the same `ids`; so does this one behind what lies in the lake `earlier`. All is read
    without `ids`, for topics that are compacted: what stood there may be gone without a trace.
    ConfigurationError for a topic with records of somebody else.
    """
    bases = _bases(spark, publisher, slots)
    looked_up = look_up_earlier(spark, earlier, slots, ids)
    frame = _standing(spark, publisher, slots, bases, standing, looked_up)
    if frame is None:
        _remember_places(spark, lake, slots, bases, ids, None)
        return PreparedTopics(slots, bases, None)
    rows, refuse_foreign = frame
    name = f"standing-{_digest(f'{slot}={bases[slot.number]}' for slot in slots)}"
    remembered = lake.remember(rows, name, refuse_foreign)
    _remember_places(spark, lake, slots, bases, ids, name)
    return PreparedTopics(slots, bases, remembered)


def look_up_earlier(
    spark: SparkSession, lake: Lake | None, slots: Sequence[Slot], ids: Mapping[str, str] | None
) -> LookedUp | None:
    """What the run of a lake looked up on these slots; null where it did not, or where a topic was
    made anew since."""
    name = _places_name(slots)
    if lake is None or ids is None or not lake.exists(spark, name):
        return None
    places = {(row["topic"], row["partition"]): row for row in lake.read(spark, name).collect()}
    ids_then = {slot.topic: places[slot.topic, slot.partition]["topic_id"] for slot in slots}
    if any(ids[topic] != then or then == _NO_ID for topic, then in ids_then.items()):
        return None
    [table] = {row["standing"] for row in places.values()}
    if table is None:
        rows = no_rows(spark, STANDING)
    elif lake.exists(spark, table):
        rows = lake.read(spark, table)
    else:
        return None
    return LookedUp(rows, {s.number: places[s.topic, s.partition]["base"] for s in slots})


def _remember_places(
    spark: SparkSession,
    lake: Lake,
    slots: Sequence[Slot],
    bases: Mapping[int, int],
    ids: Mapping[str, str] | None,
    table: str | None,
) -> None:
    if ids is None:
        return
    rows = [(s.topic, s.partition, ids[s.topic], bases[s.number], table) for s in slots]
    lake.remember(spark.createDataFrame(rows, _PLACES), _places_name(slots), lambda: None)


def _places_name(slots: Sequence[Slot]) -> str:
    return f"standing-places-{_digest(map(str, slots))}"


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256(";".join(texts).encode()).hexdigest()[:16]


def unclaimed_topics(
    spark: SparkSession,
    publisher: Publisher,
    slots: Sequence[Slot],
    standing: FindStanding,
    ids: Mapping[str, str] | None,
    earlier: Lake | None,
) -> PreparedTopics:
    """As `prepared_topics`, for a look: nothing is written anywhere."""
    bases = {slot.number: end for slot, end in committed_ends(publisher, slots).items()}
    looked_up = look_up_earlier(spark, earlier, slots, ids)
    frame = _standing(spark, publisher, slots, bases, standing, looked_up)
    return PreparedTopics(slots, bases, None if frame is None else frame[0])


def committed_ends(publisher: Publisher, slots: Sequence[Slot]) -> dict[Slot, int]:
    """Up to where each slot can be read now: its last stable offset."""
    return _offsets(publisher, slots, LAST, IsolationLevel.READ_COMMITTED)


def ends(publisher: Publisher, slots: Sequence[Slot]) -> dict[Slot, int]:
    """The end of each slot, with what is not committed yet."""
    return _offsets(publisher, slots, LAST, IsolationLevel.READ_UNCOMMITTED)


def starts(publisher: Publisher, slots: Sequence[Slot]) -> dict[Slot, int]:
    """The first offset that each slot still has."""
    return _offsets(publisher, slots, FIRST, IsolationLevel.READ_UNCOMMITTED)


def _bases(spark: SparkSession, publisher: Publisher, slots: Sequence[Slot]) -> dict[int, int]:
    rows = claimed(spark, publisher, slots).collect()
    for row in rows:
        if row["failure"] is not None:
            raise Failure.read(row["failure"]).error()
    return {row["slot"]: row["base"] for row in rows}


def _standing(
    spark: SparkSession,
    publisher: Publisher,
    slots: Sequence[Slot],
    bases: Mapping[int, int],
    standing: FindStanding,
    earlier: LookedUp | None,
) -> tuple[DataFrame, Callable[[], None]] | None:
    first = {slot.number: start for slot, start in starts(publisher, slots).items()}
    if earlier is not None and any(bases[n] < end for n, end in earlier.ends.items()):
        earlier = None
    if earlier is not None:
        first = {number: max(start, earlier.ends[number]) for number, start in first.items()}
    ranges = [OffsetRange(slot, first[slot.number], bases[slot.number]) for slot in slots]
    if all(part.start >= part.end for part in ranges):
        return None if earlier is None else (earlier.rows, lambda: None)
    foreign = Observation()
    is_foreign = F.try_element_at("headers", F.lit(RUN_HEADER)).isNull()
    records = committed_records(spark, publisher, ranges).observe(
        foreign,
        F.count_if(is_foreign).alias("records"),
        F.min(F.when(is_foreign, F.col("topic"))).alias("topic"),
    )

    def refuse_foreign() -> None:
        number, topic = foreign.get["records"], foreign.get["topic"]
        if number:
            raise ConfigurationError(
                f"topic {topic} in Kafka at {publisher.bootstrap} holds {number:,} records that "
                "Cutline did not write",
                left_behind="Nothing was sent.",
                next_step="History is never mixed with what others write: choose another "
                "`topics.prefix`, or take those records away.",
            )

    return standing(records, before=None if earlier is None else earlier.rows), refuse_foreign


def _offsets(
    publisher: Publisher, slots: Sequence[Slot], spec: OffsetSpec, isolation: IsolationLevel
) -> dict[Slot, int]:
    by_place = {(slot.topic, slot.partition): slot for slot in slots}
    places = [TopicPartition(*place) for place in by_place]

    def ask() -> dict[tuple[str, int], int]:
        return offsets(publisher.settings, places, spec, isolation)

    try:
        answers = until_it_succeeds(publisher, slots[0], ask) if slots else {}
    except PublishingStopped as stopped:
        raise stopped.failure.error() from stopped
    return {by_place[place]: offset for place, offset in answers.items()}
