"""Live topics on Kafka, by the offsets of each partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cutline.feed.tail import POSITION, PartitionEnds, TailPart
from cutline.kafka.freeze import freeze_topics
from cutline.kafka.frozen import FrozenTopic, FrozenTopics, Offsets
from cutline.readmodels import Place
from cutline.topics.live import LivePlace, live_records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.control import RunRecord


class KafkaTail:
    """The live topics of a context on Kafka. A position is an offset.

    `ends` asks the cluster; what `records` reads is what it said last.
    """

    def __init__(self, places: Sequence[LivePlace]) -> None:
        self._places = places
        self._frozen: dict[str, FrozenTopics] = {}
        self.aggregates: Mapping[str, str] = {place.topic: place.aggregate for place in places}

    def ends(self) -> Mapping[Place, PartitionEnds]:
        """Each ends at its last stable offset: what no transaction may take back."""
        ends: dict[Place, PartitionEnds] = {}
        for place in self._places:
            frozen = freeze_topics(
                place.settings,
                [[place.topic]],
                "beginning",
                place.key,
                registry=place.registry,
            )
            self._frozen[place.topic] = frozen
            topic = frozen.topics[place.topic]
            for partition, offsets in topic.partitions.items():
                ends[place.topic, partition] = PartitionEnds(topic.id, *offsets)
        return ends

    def starts(self, record: RunRecord) -> Mapping[Place, PartitionEnds]:
        """As the run froze them."""
        positions: Mapping[str, str] = record.inputs.get("positions", {})
        starts: dict[Place, PartitionEnds] = {}
        for place in self._places:
            text = positions.get(place.name)
            topics = {} if text is None else FrozenTopics.read(text).topics
            for name, topic in topics.items():
                for partition, offsets in topic.partitions.items():
                    starts[name, partition] = PartitionEnds(topic.id, *offsets)
        return starts

    def part(
        self, starts: Mapping[Place, int], ends: Mapping[Place, PartitionEnds], limit: int
    ) -> TailPart:
        after, count = dict(starts), 0
        for place, start in sorted(starts.items()):
            after[place] = min(ends[place].end, start + limit - count)
            count += after[place] - start
        left = sum(ends[place].end - position for place, position in after.items())
        return TailPart(starts, after, count, left)

    def records(self, spark: SparkSession, part: TailPart, scratch: str) -> DataFrame:
        """They are read by Spark's workers."""
        from pyspark.sql import functions as F

        wanted, positions = [], {}
        for place in self._places:
            frozen = self._frozen[place.topic]
            topic = frozen.topics[place.topic]
            ranges = {
                number: Offsets(part.starts[place.topic, number], part.after[place.topic, number])
                for number in topic.partitions
            }
            if any(offsets.start < offsets.end for offsets in ranges.values()):
                topics = {place.topic: FrozenTopic(topic.id, ranges)}
                positions[place.name] = replace(frozen, topics=topics).text()
                wanted.append(place)
        records = live_records(spark, wanted, positions, scratch)
        return records.withColumn(POSITION, F.col("offset"))
