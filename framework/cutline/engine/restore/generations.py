"""Snapshots in batches: of several that have a key, the highest generation counts."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.frames import Frame, step
from cutline.engine.restore.frames import OUTRANKED, SNAPSHOT_SIDE, grouped_changes
from cutline.tables.change import SNAPSHOT


def _ranked(frame: DataFrame) -> Frame:
    return grouped_changes(frame).with_columns(OUTRANKED)


@step(needs=_ranked)
def with_outranked(rows: DataFrame, group: str) -> DataFrame:
    """The rows with OUTRANKED: the batch of the highest generation already shows what they say.

    It does for snapshot rows of lower generations, and for changes committed before the point at
    which that batch was read. A change whose commit may lie on either side of that point is not
    outranked; its SNAPSHOT_SIDE becomes null. `group` is the column that all rows of a key share.
    """
    key = Window.partitionBy(group)
    snapshot = F.col("op") == SNAPSHOT
    top = F.max(F.when(snapshot, F.struct("generation", "position"))).over(key)
    point = top.getField("position")
    lower = snapshot & (F.col("generation") < top.getField("generation"))
    # A commit is the beginning of a position: what was committed exactly at the point comes after.
    at = F.left(point, F.length("commit"))
    committed = F.coalesce(F.col("commit") < at, F.col("position") < point)
    is_placed = F.col("commit").isNotNull() | (F.col("position") >= point)
    between = ~snapshot & point.isNotNull() & committed
    return rows.withColumns(
        {
            OUTRANKED: F.coalesce(lower | (between & is_placed), F.lit(False)),
            SNAPSHOT_SIDE: F.when(between & ~is_placed, F.lit(None)).otherwise(
                F.col(SNAPSHOT_SIDE)
            ),
        }
    )
