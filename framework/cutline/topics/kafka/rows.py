"""Records in Spark: as rows that go to their slots, and the hash of what each holds."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.topics.headers import with_header_map
from cutline.topics.murmur2 import partition_of
from cutline.topics.record import RUN_HEADER
from cutline.topics.structured import structured as in_structured_mode

OUTGOING = ("slot", "key", "headers", "value", "millis", "hash")
"""The columns of what is sent, sorted by slot and place in it."""


def outgoing(
    records: DataFrame,
    run_id: str,
    topics: Sequence[str],
    order: Sequence[str],
    partitions: int,
    *,
    keyed: bool = True,
    structured: bool = False,
) -> DataFrame:
    """One row per record in the columns of OUTGOING: one Spark partition per slot, each sorted by
    key (unless it is not `keyed`), the columns of `order`, and what the record holds, so that it
    always is the same sequence.

    A record without a key goes to partition 0, one whose `topic` is none of `topics` fails. Each
    gets the header `migrunid`. If they are `structured`, an event is its record's value.
    """
    records = with_header_map(records)
    if structured:
        records = in_structured_mode(records)
    place = F.coalesce(partition_of(F.col("key"), partitions), F.lit(0))
    rows = records.select(
        _slot(topics, place, partitions).alias("slot"),
        F.col("key").cast("binary").alias("key"),
        _bytes(_with_run(run_id)).alias("headers"),
        F.col("value").cast("binary").alias("value"),
        F.unix_millis("timestamp").alias("millis"),
        *(F.col(name).alias(f"by_{i}") for i, name in enumerate(order)),
    )
    hashed = rows.withColumn("hash", content_hash())
    by_order = (f"by_{i}" for i in range(len(order)))
    placed = hashed.repartitionById(len(topics) * partitions, "slot")
    by_key = ("key",) if keyed else ()
    return placed.sortWithinPartitions("slot", *by_key, *by_order, "hash").select(*OUTGOING)


def content_hash() -> Column:
    """The hash of a row's key, headers, value and time; never null. Nulls count as such."""
    headers = F.sort_array(F.map_entries("headers"))
    values = (F.col("key"), F.col("value"), F.col("millis"))
    return F.xxhash64(*(part for v in values for part in (v.isNull(), v)), headers)


def _with_run(run_id: str) -> Column:
    headers = F.coalesce(F.col("headers"), F.create_map().cast("map<string,string>"))
    others = F.map_filter(headers, lambda name, _: name != RUN_HEADER)
    return F.map_concat(others, F.create_map(F.lit(RUN_HEADER), F.lit(run_id)))


def _bytes(headers: Column) -> Column:
    return F.transform_values(headers, lambda _, text: text.cast("binary"))


def _slot(topics: Sequence[str], partition: Column, partitions: int) -> Column:
    topic = F.col("topic")
    number = F.array_position(F.array(*map(F.lit, topics)), topic)
    message = F.concat(F.lit("a record for another topic: "), F.coalesce(topic, F.lit("none")))
    place = (number.cast("int") - 1) * partitions + partition
    return F.when(number > 0, place).otherwise(F.raise_error(message).cast("int"))
