"""How many records go to each topic, counted in the pass that sends them or by a job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def with_topic_counts(
    records: DataFrame, topics: Sequence[str]
) -> tuple[DataFrame, Callable[[], dict[str, int]]]:
    """The records, and how many there are by topic, to be asked once they were sent."""
    from pyspark.sql import Observation

    from cutline.spark.observed import observed_counts

    observation = Observation()
    counts = _counts(topics)
    counted = records.observe(observation, *(c.alias(topic) for topic, c in counts.items()))
    return counted, lambda: observed_counts(observation, lambda: topic_counts(records, topics))


def topic_counts(records: DataFrame, topics: Sequence[str]) -> dict[str, int]:
    """How many records there are by topic, by a job of its own."""
    from cutline.spark.observed import collect_counts

    return collect_counts(records, _counts(topics))


def _counts(topics: Sequence[str]) -> dict[str, Column]:
    from pyspark.sql import functions as F

    from cutline.spark.observed import count_where

    return {topic: count_where(F.col("topic") == topic) for topic in topics}
