"""Topics made ready for a run: made or checked, claimed, and what stands there looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka.admin._listoffsets import OffsetSpec
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.spark.among import among
from cutline.spark.no_rows import no_rows
from cutline.topics.headers import mapped_header
from cutline.topics.kafka.claim import until_it_succeeds
from cutline.topics.kafka.failures import Failure, PublishingStopped
from cutline.topics.kafka.looked_up import earlier_look_up, remember_look_up, standing_name
from cutline.topics.kafka.reading import FIRST, LAST, offsets
from cutline.topics.kafka.records import OffsetRange, committed_records
from cutline.topics.kafka.slots import Publisher, Slot
from cutline.topics.kafka.tasks import claimed
from cutline.topics.record import RUN_HEADER


@dataclass(frozen=True)
class PreparedTopics:
    """The slots of some topics, where the run's records begin in each by its number, and what
    stands there of the slice from before; null where nothing can."""

    slots: Sequence[Slot]
    bases: Mapping[int, int]
    standing: DataFrame | None

    def standing_keys(self, spark: SparkSession, keys: DataFrame | None) -> DataFrame:
        """Topic and key of what stands on compacted topics with a value, or of these `keys`."""
        if self.standing is None:
            return no_rows(spark, "topic string, key string")
        with_value = self.standing.where(F.col("has_value")).select("topic", "key")
        return with_value if keys is None else among(with_value, keys)


def prepared_topics(
    spark: SparkSession,
    publisher: Publisher,
    slots: Sequence[Slot],
    lake: Lake,
    standing: Callable[[DataFrame], DataFrame],
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
    frame = _standing(spark, publisher, slots, bases, standing, ids, earlier)
    remembered = None
    if frame is not None:
        rows, refuse_foreign = frame
        remembered = lake.remember(rows, standing_name(slots, bases), refuse_foreign)
    if ids is not None:
        remember_look_up(spark, lake, slots, bases, ids, is_empty=frame is None)
    return PreparedTopics(slots, bases, remembered)


def unclaimed_topics(
    spark: SparkSession,
    publisher: Publisher,
    slots: Sequence[Slot],
    standing: Callable[[DataFrame], DataFrame],
    ids: Mapping[str, str] | None,
    earlier: Lake | None,
) -> PreparedTopics:
    """As `prepared_topics`, for a look: nothing is written anywhere."""
    bases = {slot.number: end for slot, end in committed_ends(publisher, slots).items()}
    frame = _standing(spark, publisher, slots, bases, standing, ids, earlier)
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
    standing: Callable[[DataFrame], DataFrame],
    ids: Mapping[str, str] | None,
    earlier: Lake | None,
) -> tuple[DataFrame, Callable[[], None]] | None:
    looked_up = None
    if earlier is not None and ids is not None:
        looked_up = earlier_look_up(spark, earlier, slots, ids)
    if looked_up is not None and any(bases[n] < end for n, end in looked_up.ends.items()):
        looked_up = None
    behind = {} if looked_up is None else looked_up.ends
    first = starts(publisher, slots)
    ranges = [
        OffsetRange(slot, max(first[slot], behind.get(slot.number, 0)), bases[slot.number])
        for slot in slots
    ]
    if all(part.start >= part.end for part in ranges):
        return None if looked_up is None else (looked_up.events, lambda: None)
    foreign = Observation()
    is_foreign = mapped_header(RUN_HEADER).isNull()
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

    newer = standing(records)
    return newer if looked_up is None else looked_up.with_newer(newer), refuse_foreign


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
