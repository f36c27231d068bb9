"""Rows without a position: re-read ones of an incremental snapshot, placed by when they came."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.frames import step
from cutline.engine.restore.frames import changes_frame
from cutline.positions import NOWHERE


@step(needs=changes_frame)
def with_positions_by_arrival(rows: DataFrame, *, in_line: bool) -> DataFrame:
    """The changes, each with a position: one without takes that of the last change before it.

    All changes of a key come through one partition in commit order, and the connector puts a
    re-read row where it is current. So only changes of the row's own key say when it came: two
    partitions have no common order. With `in_line` the changes stand in files that follow one
    another, and all changes of the key count, whatever partition they name. Rows of a snapshot's
    file came before all; a key's row with nothing before it gets the lowest position of all.
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
