"""Snapshots in batches: of several that have a key, the highest generation counts."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cutline.tables.change import SNAPSHOT


def with_outranked(rows: DataFrame, group: str) -> DataFrame:
    """The rows with `outranked`: what the key's own batch, the highest, already shows.

    That is a row of a lower generation, and a change that was committed before the point of the
    highest. A change of which that cannot be told is neither: `shown` becomes null.
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
            "outranked": F.coalesce(lower | (between & is_placed), F.lit(False)),
            "shown": F.when(between & ~is_placed, F.lit(None)).otherwise(F.col("shown")),
        }
    )
