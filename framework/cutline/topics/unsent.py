"""What of a run's records the topics of files do not hold yet, so that only that is sent.

Both compare narrow rows, and never the records themselves. `heads` are those of all that the topics
hold, with the headers `migrunid` and `ce_id`, or of states `ce_migregion`. What the run itself put
there does not count, for it is sent again in its place.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark.among import among
from cutline.spark.few_rows import broadcast_if_few
from cutline.topics.cloudevents import id_of
from cutline.topics.lines import content_of
from cutline.topics.record import ID_HEADER, REGION_HEADER, RUN_HEADER


def unsent_events(records: DataFrame, heads: DataFrame, run_id: str) -> DataFrame:
    """Topic and `id` of the events that no other run has put there; null for records without one.

    An event is known by its `ce_id`, as on Kafka (decision 0046): one that stands there is not sent
    again, whatever it says. Records that have no id are all sent.
    """
    mine = records.select("topic", id_of(records).alias("id")).distinct()
    theirs = heads.where(_is_of_others(run_id)).select(
        F.col("topic").alias("their_topic"), F.col(ID_HEADER).alias("their_id")
    )
    is_there = (F.col("topic") == F.col("their_topic")) & (F.col("id") == F.col("their_id"))
    return mine.join(theirs, is_there, "left_anti")


def changed_keys(records: DataFrame, heads: DataFrame, run_id: str) -> DataFrame:
    """Topic and key of the records that say something else than all that stands there by that key,
    or of which nothing stands there from another run.

    Of a key that comes more than once among the records, if they do not all say the same.
    """
    region = F.try_element_at("headers", F.lit(REGION_HEADER))
    mine = records.select(
        "topic",
        "key",
        content_of(F.col("value")).alias("content"),
        region.alias("region"),
        F.lit(True).alias("is_mine"),
    )
    # What the run itself put there is taken away; so is what stood there before, perhaps.
    content = F.when(_is_of_others(run_id), F.col("content"))
    theirs = heads.where(F.col("key").isNotNull()).select(
        "topic",
        "key",
        content.alias("content"),
        F.col(REGION_HEADER).alias("region"),
        F.lit(False).alias("is_mine"),
    )
    # What another slice has put there is that one's, and goes when it has it no more.
    of_region = F.coalesce("region", F.lit(""))
    is_equal = (
        (F.count_if(~F.col("is_mine")) > 0)
        & (F.count_if(F.col("content").isNull()) == 0)
        & (F.min("content") == F.max("content"))
        & (F.min(of_region) == F.max(of_region))
    )
    by_key = mine.unionByName(theirs).groupBy("topic", "key")
    keys = by_key.agg(F.count_if("is_mine").alias("mine"), is_equal.alias("is_equal"))
    return keys.where((F.col("mine") > 0) & ~F.col("is_equal")).select("topic", "key")


def records_of_events(records: DataFrame, events: DataFrame, count: int) -> DataFrame:
    """The records of some events, of which there are `count`: as `unsent_events` gives them."""
    with_id = records.withColumn("id", id_of(records))
    return among(with_id, broadcast_if_few(events, count), ("topic", "id"))


def records_of_keys(records: DataFrame, keys: DataFrame, count: int) -> DataFrame:
    """The records of some keys, of which there are `count`: as `changed_keys` gives them."""
    return among(records, broadcast_if_few(keys, count), ("topic", "key"))


def _is_of_others(run_id: str) -> Column:
    return F.coalesce(F.col(RUN_HEADER) != run_id, F.lit(True))
