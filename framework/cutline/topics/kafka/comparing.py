"""A run's records held against what stands on the topics: what is new, and how much is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.control import PublishedPartition
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.standing import (
    CHANGED,
    EQUAL,
    NEW,
    WITHDRAWN,
    compared_events,
    compared_states,
    standing_counts,
    standing_events,
    standing_states,
)
from cutline.topics.names import is_history


class StandingCount(NamedTuple):
    """How many records of a partition stand there as what."""

    topic: str
    partition: int
    standing_as: str
    number: int


@dataclass(frozen=True)
class NewRecords:
    """The records of a run that do not stand on the topics, and the counts of how all compare."""

    records: DataFrame
    counts: Sequence[StandingCount]
    compacted: bool

    def with_counts(self, published: PublishedPartition) -> PublishedPartition:
        """The entry with what standing there."""
        counts = {
            count.standing_as: count.number
            for count in self.counts
            if (count.topic, count.partition) == (published.topic, published.partition)
        }
        # A changed state is sent again; what news an earlier run told is not told by a later one.
        differing = 0 if self.compacted else counts.get(CHANGED, 0)
        return replace(
            published,
            standing=counts.get(EQUAL, 0) + differing,
            differing=differing,
            withdrawn=counts.get(WITHDRAWN, 0) if is_history(published.topic) else 0,
        )


def look_up(region: str, *, compacted: bool) -> Callable[[DataFrame], DataFrame]:
    """What finds, among records as they were read, those of the slice that still count."""
    return partial(standing_states if compacted else standing_events, region=region)


def new_records(
    records: DataFrame, standing: DataFrame | None, settings: KafkaSettings, *, compacted: bool
) -> NewRecords:
    """The records that do not stand there; all of them where nothing does."""
    if standing is None:
        return NewRecords(records, (), compacted)
    compare = compared_states if compacted else compared_events
    on = ["topic", "key" if compacted else "id"]
    compared = compare(records, standing)
    counts = standing_counts(compared, standing, on, settings.partitions).collect()
    sent_as = [NEW, CHANGED] if compacted else [NEW]
    new = compared.where(F.col("standing_as").isin(sent_as)).drop("standing_as")
    return NewRecords(new, [StandingCount(*row) for row in counts], compacted)
