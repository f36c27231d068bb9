"""Lookups frozen at the cut: the rows that stand there, or of them those in force at a time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose.lookups.names import lookup_key, lookup_keys, match_count, matches
from cutline.engine.restore import REREAD
from cutline.engine.rules import AFTER, LAST, image
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import Lookup

_FOUND, _ROWS = "found", "rows_found"


def rows_at_the_cut(lookup: Lookup, readable: DataFrame, changing: bool) -> DataFrame:
    """One row per value of the `by` columns: these, the looked-up struct or array, how many rows.

    `readable` are the changes of the looked-up table that could be read, up to the cut, with
    REREAD: what a snapshot read while the log ran stands where it came. Rows with a null in a `by`
    column are left out: they equal nothing.
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
    rows = readable.select(*lookup_keys(lookup), "after").dropna(subset=names)
    if lookup.many or lookup.as_of is not None:
        rows_array = F.sort_array(F.collect_list("after")).alias(_FOUND)
        return rows.groupBy(*names).agg(rows_array, F.lit(1).alias(_ROWS))
    # A key tells one row from another only where changes were brought together by it.
    if changing and lookup.by == lookup.contract.key():
        return rows.select(*names, F.col("after").alias(_FOUND), F.lit(1).alias(_ROWS))
    return rows.groupBy(*names).agg(F.min("after").alias(_FOUND), F.count("*").alias(_ROWS))


def join_frozen(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    """The images with the rows of `rows_at_the_cut` that their keys meet."""
    names = [lookup_key(i) for i in range(len(lookup.by))]
    renamed = table.select(
        *names, F.col(_FOUND).alias(f"{AFTER}_{name}"), F.col(_ROWS).alias(match_count(name))
    )
    joined = images.join(renamed, matches(lookup, primary), "left").drop(*names)
    return joined if lookup.as_of is None else _in_force(joined, name, lookup, primary)


def _in_force(joined: DataFrame, name: str, lookup: Lookup, primary: str) -> DataFrame:
    """Of the rows that the key meets, the one whose interval holds the row's business time."""
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
        F.col(f"{AFTER}_{name}"), lambda row: F.coalesce(holds(row), F.lit(False))
    )
    if lookup.many:
        in_force = F.when(F.size(rows_array) > 0, rows_array)
        return joined.withColumn(f"{AFTER}_{name}", in_force)
    return joined.withColumn(match_count(name), F.size(rows_array)).withColumn(
        f"{AFTER}_{name}", F.get(rows_array, F.lit(0))
    )
