"""Lookups frozen at the cut: the rows that exist there, or those in force at a business time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose.frames import CLASSIFIED, IMAGE_AFTER, IMAGES
from cutline.engine.compose.lookups.frames import (
    MATCH,
    MATCHES,
    looked_up_columns,
    lookup_key,
    match_count,
    rows_by_key,
)
from cutline.engine.compose.lookups.names import lookup_keys, matches
from cutline.engine.frames import step
from cutline.engine.restore import REREAD
from cutline.engine.rules import LAST, image
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import Lookup


@step(needs=CLASSIFIED, returns=rows_by_key)
def rows_at_the_cut(lookup: Lookup, readable: DataFrame, changing: bool) -> DataFrame:
    """The rows of a looked-up table as they stand at the cut, by the values of its `by` columns.

    `readable` are the changes of the table that could be read, up to the cut. A row with a null in
    a `by` column is left out: it equals nothing. Of several rows of a key, where one is wanted,
    the smallest comes back, and their number.
    """
    if changing:
        key = [F.col("key")]
        of_snapshot = (F.col("op") == F.lit(SNAPSHOT)) & ~F.col(REREAD)
        newest = F.struct(~of_snapshot, "position", "partition", "offset")
        readable = (
            readable.groupBy(*key)
            .agg(F.max_by(F.struct("op", "after"), newest).alias("last"))
            .where(F.col("last.op") != F.lit(DELETE))
            .select(F.col("last.after").alias("after"))
        )
    names = [lookup_key(i) for i in range(len(lookup.by))]
    rows = readable.select(*lookup_keys(lookup), "after").dropna(subset=list[str](names))
    if lookup.many or lookup.as_of is not None:
        rows_array = F.sort_array(F.collect_list("after")).alias(MATCH)
        return rows.groupBy(*names).agg(rows_array, F.lit(1).alias(MATCHES))
    # Only changes are grouped by key, so only there a key has one row for certain.
    if changing and lookup.by == lookup.contract.key():
        return rows.select(*names, F.col("after").alias(MATCH), F.lit(1).alias(MATCHES))
    return rows.groupBy(*names).agg(
        F.min("after").alias(MATCH), F.count("*").cast("int").alias(MATCHES)
    )


@step(needs=IMAGES, adds=looked_up_columns)
def join_frozen(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    """The images with the rows of `table`, which is as `rows_by_key`, that their keys meet."""
    names = [lookup_key(i) for i in range(len(lookup.by))]
    renamed = table.select(
        *names, F.col(MATCH).alias(IMAGE_AFTER.of(name)), F.col(MATCHES).alias(match_count(name))
    )
    joined = images.join(renamed, matches(lookup, primary), "left").drop(*names)
    return joined if lookup.as_of is None else _in_force(joined, name, lookup, primary)


def _in_force(joined: DataFrame, name: str, lookup: Lookup, primary: str) -> DataFrame:
    """Of the rows of the key, those whose interval contains the image's business time."""
    assert lookup.as_of is not None
    assert lookup.valid is not None
    start, end = lookup.valid
    # A date and a timestamp are compared as moments.
    at = image(LAST, primary).getField(lookup.as_of).cast("timestamp")

    def holds(row: Column) -> Column:
        since, until = row.getField(start), row.getField(end)
        begun = since.isNull() | (since.cast("timestamp") <= at)
        return begun & (until.isNull() | (at < until.cast("timestamp")))

    rows_array = F.filter(
        F.col(IMAGE_AFTER.of(name)), lambda row: F.coalesce(holds(row), F.lit(False))
    )
    if lookup.many:
        in_force = F.when(F.size(rows_array) > 0, rows_array)
        return joined.withColumn(IMAGE_AFTER.of(name), in_force)
    return joined.withColumn(match_count(name), F.size(rows_array)).withColumn(
        IMAGE_AFTER.of(name), F.get(rows_array, F.lit(0))
    )
