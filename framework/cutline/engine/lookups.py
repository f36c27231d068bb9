"""Lookups: reference data joined to images, as of the cut or of a business time."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.restore import REREAD
from cutline.engine.row import AFTER, LAST, image
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import Lookup

_ROWS = "_rows"


def lookup_table(lookup: Lookup, readable: DataFrame, changing: bool) -> DataFrame:
    """One row per value of the `by` columns: `_by_<i>`, the looked-up struct or array, `_rows`.

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
    by = [F.col("after").getField(name).alias(f"_by_{i}") for i, name in enumerate(lookup.by)]
    rows = readable.select(*by, "after").dropna(subset=[f"_by_{i}" for i in range(len(by))])
    names = [f"_by_{i}" for i in range(len(by))]
    if lookup.many or lookup.as_of is not None:
        found = F.sort_array(F.collect_list("after")).alias("found")
        return rows.groupBy(*names).agg(found, F.lit(1).alias(_ROWS))
    # A key tells one row from another only where changes were brought together by it.
    if changing and lookup.by == lookup.contract.key():
        return rows.select(*names, F.col("after").alias("found"), F.lit(1).alias(_ROWS))
    return rows.groupBy(*names).agg(F.min("after").alias("found"), F.count("*").alias(_ROWS))


def join_lookup(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    """The images with `after_<lookup>` beside the parts; the rows never become more.

    `several_<lookup>` counts the rows that the key of the last image meets: null or 0, 1, or more,
    which a person must look at.
    """
    own = image(LAST, primary)
    keyed = table.select(
        *(F.col(f"_by_{i}").alias(f"_{name}_{i}") for i in range(len(lookup.by))),
        F.col("found").alias(f"{AFTER}_{name}"),
        F.col(_ROWS).alias(several(name)),
    )
    meets = [own.getField(c) == F.col(f"_{name}_{i}") for i, c in enumerate(lookup.on)]
    joined = images.join(keyed, reduce(Column.__and__, meets), "left")
    joined = joined.drop(*(f"_{name}_{i}" for i in range(len(lookup.by))))
    return joined if lookup.as_of is None else _in_force(joined, name, lookup, own)


def several(name: str) -> str:
    """The column that counts the rows which a lookup's key meets."""
    return f"several_{name}"


def _in_force(joined: DataFrame, name: str, lookup: Lookup, own: Column) -> DataFrame:
    """Of the rows that the key meets, the one whose interval holds the row's business time."""
    assert lookup.as_of is not None
    assert lookup.valid is not None
    start, end = lookup.valid
    # A date and a timestamp are compared as moments.
    at = own.getField(lookup.as_of).cast("timestamp")

    def holds(row: Column) -> Column:
        since, until = row.getField(start), row.getField(end)
        begun = since.isNull() | (since.cast("timestamp") <= at)
        return begun & (until.isNull() | (at < until.cast("timestamp")))

    found = F.filter(F.col(f"{AFTER}_{name}"), lambda row: F.coalesce(holds(row), F.lit(False)))
    if lookup.many:
        in_force = F.when(F.size(found) > 0, found)
        return joined.withColumn(f"{AFTER}_{name}", in_force)
    return joined.withColumn(several(name), F.size(found)).withColumn(
        f"{AFTER}_{name}", F.get(found, F.lit(0))
    )
