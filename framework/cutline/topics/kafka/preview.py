"""What a run would send to Kafka: topics looked at, nothing written anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.topics.kafka.slots import slots_of
from cutline.topics.kafka.topics import KafkaTopics
from cutline.topics.record import ControlRecord

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from cutline.topics.kafka.prepared import PreparedTopics


@dataclass(frozen=True)
class PlannedPartition:
    """What would be sent to one partition of a topic, in records and their bytes.

    `exists` says whether the topic is there, and as it must be; else it would be made. `standing`
    are the records of the run that are there already, `differing` those of them that say something
    else by now, `withdrawn` the events there that the run does not have.
    """

    topic: str
    partition: int
    records: int
    bytes: int
    exists: bool
    standing: int = 0
    differing: int = 0
    withdrawn: int = 0


@dataclass
class KafkaPreview:
    """Topics that only note, in `planned`, what would be sent to them.

    Each method raises the errors by which the topics themselves would refuse to begin.
    """

    topics: KafkaTopics
    planned: list[PlannedPartition] = field(default_factory=list)

    def append_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """Notes what of a run's records would be sent; how many, by topic."""
        del run_id, order
        return self._plan(topics, records, compacted=False)

    def compact_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """As `append_all`, for compacted topics."""
        del run_id, order
        return self._plan(topics, records, compacted=True)

    def standing(
        self,
        spark: SparkSession,
        topics: Sequence[str],
        region: str,
        run_id: str,
        keys: DataFrame | None = None,
    ) -> DataFrame:
        """Topic and key of what compacted topics hold of the slice now."""
        publisher = self.topics.publisher
        assert (region, run_id) == (publisher.region, publisher.run_id)
        return self._look(spark, topics, compacted=True).standing_keys(spark, keys)

    def imprint(self, spark: SparkSession, topics: Sequence[str], region: str) -> None:
        """Null, as of the topics."""

    def append_records(self, topic: str, run_id: str, records: Sequence[ControlRecord]) -> None:
        """Nothing: what a run tells of itself is not a part of what it publishes."""

    def read(self, spark: SparkSession, topics: Sequence[str]) -> DataFrame:
        """One row per record that is committed now."""
        return self.topics.read(spark, topics)

    def _look(
        self, spark: SparkSession, topics: Sequence[str], *, compacted: bool
    ) -> PreparedTopics:
        from cutline.topics.kafka.comparing import look_up
        from cutline.topics.kafka.prepared import unclaimed_topics

        publisher = self.topics.publisher
        existing = self.topics.refuse_unlike(topics, compacted=compacted)
        slots = slots_of(topics, self.topics.settings.partitions)
        on_topics = [slot for slot in slots if slot.topic in existing]
        find = look_up(publisher.region, compacted=compacted)
        ids = None if compacted else self.topics.ids(existing)
        return unclaimed_topics(spark, publisher, on_topics, find, ids, self.topics.earlier)

    def _plan(
        self, topics: Sequence[str], records: DataFrame, *, compacted: bool
    ) -> dict[str, int]:
        from pyspark.sql import functions as F

        from cutline.control import PublishedPartition
        from cutline.topics.kafka.comparing import new_records
        from cutline.topics.kafka.rows import outgoing

        publisher, settings = self.topics.publisher, self.topics.settings
        prepared = self._look(records.sparkSession, topics, compacted=compacted)
        existing = {slot.topic for slot in prepared.slots}
        with new_records(records, prepared.standing, settings, compacted=compacted) as new:
            rows = outgoing(
                new.records,
                publisher.run_id,
                topics,
                (),
                settings.partitions,
                structured=settings.structured,
            )
            sizes = F.count(F.lit(1)).alias("records"), F.sum(_bytes()).alias("bytes")
            counts = {row["slot"]: row for row in rows.groupBy("slot").agg(*sizes).collect()}
        by_topic = dict.fromkeys(topics, 0)
        for slot in slots_of(topics, settings.partitions):
            number, size_of = (
                (counts[slot.number]["records"], counts[slot.number]["bytes"])
                if slot.number in counts
                else (0, 0)
            )
            compared = new.with_counts(
                PublishedPartition(publisher.run_id, slot.topic, slot.partition, 0)
            )
            self.planned.append(
                PlannedPartition(
                    slot.topic,
                    slot.partition,
                    number,
                    size_of,
                    slot.topic in existing,
                    compared.standing,
                    compared.differing,
                    compared.withdrawn,
                )
            )
            by_topic[slot.topic] += number
        return by_topic


def _bytes() -> Column:
    """The bytes of a row's key, value and headers."""
    from pyspark.sql import functions as F

    headers = F.aggregate(
        F.map_entries("headers"),
        F.lit(0).cast("bigint"),
        lambda size, entry: size + F.octet_length(entry["key"]) + F.octet_length(entry["value"]),
    )
    parts = (F.coalesce(F.octet_length(name), F.lit(0)) for name in ("key", "value"))
    return sum(parts, headers)
