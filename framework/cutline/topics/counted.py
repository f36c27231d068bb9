"""How many records go to each topic, counted in the pass that sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def with_topic_counts(
    records: DataFrame, topics: Sequence[str]
) -> tuple[DataFrame, Callable[[], dict[str, int]]]:
    """The records, and how many there are by topic, to be asked once they were sent."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    observation = Observation()
    counts = (F.count_if(F.col("topic") == topic).alias(topic) for topic in topics)
    counted = records.observe(observation, *counts)
    return counted, lambda: {topic: int(observation.get[topic]) for topic in topics}
