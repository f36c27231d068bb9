"""Rows that stand already: what a snapshot reads once more is no second row of its subject."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.restore.columns import by_position
from cutline.engine.restore.restored import ARRIVED, LEFT, ROW_GROUP, Restoring
from cutline.tables.change import CREATE, DELETE, SNAPSHOT
from cutline.translator.part import Part

STOOD = "stood_already"
"""Whether a readable change before this one brought the row, and none since deleted it."""


def with_standing(rows: DataFrame, part: Part, how: Restoring) -> DataFrame:
    """The rows with STOOD, from their ROW_GROUP and `row_end`.

    It is asked only where it matters: of a part that may have several rows for one subject, in a
    log with rows that are read again. Elsewhere it is false.
    """
    one_each = set(part.contract.key()) <= set(part.subject)
    return rows.withColumn(STOOD, _stood() if how.rereads and not one_each else F.lit(False))


def _stood() -> Column:
    earlier = by_position(ROW_GROUP).rowsBetween(Window.unboundedPreceding, -1)
    came = F.col("op").isin(CREATE, SNAPSHOT) | F.col(ARRIVED)
    # A row that leaves a subject comes to another with the same change.
    told = F.col("row_end").isNull() & ~F.col(LEFT) & (came | (F.col("op") == DELETE))
    return F.coalesce(F.last(F.when(told, came), ignorenulls=True).over(earlier), F.lit(False))
