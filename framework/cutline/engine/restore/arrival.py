"""Rows without a position: re-read ones of an incremental snapshot, placed by when they came."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.positions import NOWHERE


def with_positions_by_arrival(rows: DataFrame, *, in_line: bool) -> DataFrame:
    """The rows, each with a position: one that has none stands behind what came before it.

    A key's changes come through one partition in commit order, and the connector puts a re-read row
    there where it is known to be current. Only changes of the row's own key tell when it came:
    under another key a row may come through another partition, and of two partitions nothing tells
    which was first. Where all changes stand `in_line`, in files that follow one another, all of its
    key do. Rows of a snapshot's file came before all.
    """
    # Rows without a key are in no history; their offset keeps them from one heap.
    stray = F.when(F.col("key").isNull(), F.col("offset"))
    of_file = Window.partitionBy("key", stray)
    apart = [] if in_line else ["partition"]
    came = (
        Window.partitionBy("key", stray, *apart)
        .orderBy("offset")
        .rowsBetween(Window.unboundedPreceding, 0)
    )
    before = F.greatest(
        F.max("position").over(came),
        F.max(F.when(F.col("offset").isNull(), F.col("position"))).over(of_file),
    )
    return rows.withColumn("position", F.coalesce("position", before, F.lit(NOWHERE)))
