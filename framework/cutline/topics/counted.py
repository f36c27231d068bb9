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

    from cutline.spark.observed import collect_counts, count_where, observed_counts

    observation = Observation()
    counts = {topic: count_where(F.col("topic") == topic) for topic in topics}
    counted = records.observe(observation, *(c.alias(topic) for topic, c in counts.items()))
    return counted, lambda: observed_counts(observation, lambda: collect_counts(records, counts))
