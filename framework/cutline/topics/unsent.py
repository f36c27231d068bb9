"""What of a run's records the topics of files do not hold yet, so that only that is sent.

Narrow rows are compared, and never the records themselves. `heads` are those of what the topics
hold by the ids or keys of the rows, at least, with the headers `migrunid` and `ce_id`, or of states
`ce_migregion`. What the run itself put there does not count, for it is sent again in its place.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.spark.among import among
from cutline.spark.few_rows import broadcast_if_few
from cutline.topics.cloudevents import id_of
from cutline.topics.headers import header
from cutline.topics.lines import content_of
from cutline.topics.record import ID_HEADER, REGION_HEADER, RUN_HEADER


def ids_of(records: DataFrame) -> DataFrame:
    """Topic and `id` of the events of records, each once; null for records without one."""
    return records.select("topic", id_of(records).alias("id")).distinct()


def unsent_events(ids: DataFrame, heads: DataFrame, run_id: str) -> DataFrame:
    """Of the rows of `ids_of` those of events that no other run has put there.

    An event is known by its `ce_id`, as on Kafka (decision 0046): one that stands there is not sent
    again, whatever it says. Records that have no id are all sent.
    """
    theirs = heads.where(_is_of_others(run_id)).select(
        F.col("topic").alias("their_topic"), F.col(ID_HEADER).alias("their_id")
    )
    is_there = (F.col("topic") == F.col("their_topic")) & (F.col("id") == F.col("their_id"))
    return ids.join(theirs, is_there, "left_anti")


def contents_of(records: DataFrame) -> DataFrame:
    """Topic, key, the hash of the value and the region of each record."""
    region = header(records, REGION_HEADER)
    content = content_of(F.col("value"))
    return records.select("topic", "key", content.alias("content"), region.alias("region"))


def changed_keys(contents: DataFrame, heads: DataFrame, run_id: str) -> DataFrame:
    """Of the rows of `contents_of` topic and key of those that say something else than all that
    stands there by that key, or of which nothing stands there from another run.

    Of a key that comes more than once among the records, if they do not all say the same.
    """
    mine = contents.withColumn("is_mine", F.lit(True))
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
