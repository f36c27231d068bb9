"""Rows that stand already: which of a subject's rows a change brings, and which it takes away."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.restore.restore import LEFT, ROW_GROUP
from cutline.engine.restore.row_history import by_position
from cutline.tables.change import DELETE
from cutline.translator.part import Part

EXISTED_BEFORE = "stood_already"
"""Whether the last readable change of the row before this one showed it, and did not delete it."""


def with_existed_before(rows: DataFrame, part: Part, *, logged: bool) -> DataFrame:
    """The rows with EXISTED_BEFORE, from their ROW_GROUP and `row_end`.

    It is asked only where it matters: of a part with a log that may have several rows for one
    subject, which are counted. Elsewhere it is false.
    """
    one_each = set(part.contract.key()) <= set(part.subject)
    return rows.withColumn(
        EXISTED_BEFORE, _existed_before() if logged and not one_each else F.lit(False)
    )


def _existed_before() -> Column:
    # A row that leaves a subject comes to another with the same change: both look at what was.
    turn = F.when(F.col(LEFT), 0).otherwise(1)
    earlier = by_position(ROW_GROUP, turn).rowsBetween(Window.unboundedPreceding, -1)
    readable = F.col("row_end").isNull() & ~F.col(LEFT)
    stands = F.when(readable, F.col("op") != DELETE)
    return F.coalesce(F.last(stands, ignorenulls=True).over(earlier), F.lit(False))
