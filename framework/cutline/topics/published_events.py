"""Events that a topic of files holds already, so that another run need not send them again."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.topics.record import RUN_HEADER


def without_published_events(records: DataFrame, standing: DataFrame, run_id: str) -> DataFrame:
    """The records whose event the topics do not hold from another run.

    `standing` are the topics as they were read. An event is known by its `ce_id`, as on Kafka
    (decision 0046): one that stands there is not sent again, whatever it says. Records that have no
    id are all sent.
    """
    run = F.try_element_at("headers", F.lit(RUN_HEADER))
    event = F.try_element_at("headers", F.lit("ce_id"))
    of_others = standing.where(F.coalesce(run != run_id, F.lit(True))).select(
        F.col("topic").alias("their_topic"), event.alias("their_id")
    )
    is_published = (F.col("topic") == F.col("their_topic")) & (event == F.col("their_id"))
    return records.join(of_others, is_published, "left_anti")
