"""What topics hold of a slice from before a run: what need not be sent again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.topics.cloudevents import id_of
from cutline.topics.headers import header, mapped_header
from cutline.topics.murmur2 import partition_of

STANDING = "topic string, id string, key string, content bigint, has_value boolean"
"""One row is an event that stands on a topic, or the last record of a key of a compacted one."""

HeaderText: TypeAlias = Callable[[str], Column]

EQUAL, CHANGED, NEW, WITHDRAWN = "equal", "changed", "new", "withdrawn"


def standing_events(records: DataFrame, region: str) -> DataFrame:
    """One row per event of the slice among records as they were read."""
    mine = _of_slice(records, region).where(mapped_header("ce_id").isNotNull())
    return mine.groupBy("topic", mapped_header("ce_id").alias("id")).agg(
        F.max(F.col("key").cast("string")).alias("key"),
        F.max_by(event_content(F.col("value"), mapped_header), "offset").alias("content"),
        F.lit(True).alias("has_value"),
    )


def standing_states(records: DataFrame, region: str) -> DataFrame:
    """One row per key of the slice among all records of compacted topics: its last one.

    A tombstone counts as one, whoever wrote it.
    """
    last = records.groupBy("topic", F.col("key").cast("string").alias("key")).agg(
        F.max_by(
            F.struct(
                state_content(F.col("value")).alias("content"),
                F.col("value").isNotNull().alias("has_value"),
                mapped_header("ce_migregion").alias("region"),
                mapped_header("ce_id").alias("id"),
            ),
            "offset",
        ).alias("last")
    )
    mine = last.where(F.col("last.region") == region)
    return mine.select("topic", "last.id", "key", "last.content", "last.has_value")


def matched_by(*, compacted: bool) -> list[str]:
    """The columns by which a record is met with what stands there."""
    return ["topic", "key" if compacted else "id"]


def recognised(records: DataFrame, *, compacted: bool) -> DataFrame:
    """The records of a run, with `id` and `content` as what stands there has them."""
    value = F.col("value")
    content = state_content(value) if compacted else event_content(value, partial(header, records))
    return records.withColumns({"id": id_of(records), "content": content})


def compared_records(records: DataFrame, standing: DataFrame, *, compacted: bool) -> DataFrame:
    """One narrow row per record, which is as `recognised` gives it: topic, key, id, content, and
    `standing_as`, how it compares with what stands there by its id, or by its key.

    An event that stands there is not sent again, whatever it says: a consumer that has seen the id
    may pass the second one over. A state that changed is sent again.
    """
    on = matched_by(compacted=compacted)
    theirs = standing.select(*on, F.col("content").alias("theirs"))
    stands_as = (
        F.when(F.col("theirs").isNull(), NEW)
        .when(F.col("theirs") == F.col("content"), EQUAL)
        .otherwise(CHANGED)
    )
    mine = records.select("topic", "key", "id", "content")
    return mine.join(theirs, on, "left").withColumn("standing_as", stands_as).drop("theirs")


def standing_counts(
    compared: DataFrame, standing: DataFrame, on: Sequence[str], partitions: int
) -> DataFrame:
    """How many of the compared records stand there as what, and how many stand there that are not
    among them: one row per topic, partition and `standing_as`, with its `count`."""
    withdrawn = standing.where("has_value").join(compared.select(*on), list(on), "left_anti")
    rows = compared.select("topic", "key", "standing_as").unionByName(
        withdrawn.select("topic", "key", F.lit(WITHDRAWN).alias("standing_as"))
    )
    partition = F.coalesce(partition_of(F.col("key"), partitions), F.lit(0)).alias("partition")
    return rows.groupBy("topic", partition, "standing_as").count()


def event_content(value: Column, header_text: HeaderText) -> Column:
    """The hash of what an event says: not of which run says it, and when it was recorded."""
    names = ("ce_type", "ce_subject", "ce_time", "ce_migsupersedes", "ce_migconfidence")
    texts = [value.cast("string"), *map(header_text, names)]
    return F.xxhash64(*(part for text in texts for part in (text.isNull(), text)))


def state_content(value: Column) -> Column:
    """The hash of a state, or of a tombstone."""
    return F.xxhash64(value.isNull(), value.cast("string"))


def _of_slice(records: DataFrame, region: str) -> DataFrame:
    return records.where(mapped_header("ce_migregion") == region)
