"""A run's records held against what stands on the topics: what is new, and how much is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.control import PublishedPartition
from cutline.spark.among import among
from cutline.spark.few_rows import broadcast_if_few
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.standing import (
    CHANGED,
    EQUAL,
    NEW,
    WITHDRAWN,
    compared_records,
    matched_by,
    recognised,
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


@contextlib.contextmanager
def new_records(
    records: DataFrame, standing: DataFrame | None, settings: KafkaSettings, *, compacted: bool
) -> Iterator[NewRecords]:
    """The records that do not stand there, meanwhile; all of them where nothing does.

    What is compared are narrow rows: the records are made for those that are sent.
    """
    if standing is None:
        yield NewRecords(records, (), compacted)
        return
    mine = recognised(records, compacted=compacted)
    compared = compared_records(mine, standing, compacted=compacted)
    compared = compared.persist(StorageLevel.DISK_ONLY)
    try:
        on = matched_by(compacted=compacted)
        rows = standing_counts(compared, standing, on, settings.partitions).collect()
        counts = [StandingCount(*row) for row in rows]
        sent_as = [NEW, CHANGED] if compacted else [NEW]
        number = sum(count.number for count in counts if count.standing_as in sent_as)
        # Of several records of one key those that say what stands there are not sent.
        names = [*on, "content"] if compacted else on
        unsent = compared.where(F.col("standing_as").isin(sent_as)).select(*names).distinct()
        new = among(mine, broadcast_if_few(unsent, number), names).drop("id", "content")
        yield NewRecords(new, counts, compacted)
    finally:
        compared.unpersist()
