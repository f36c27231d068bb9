"""Whether a change's row existed before it: by that a subject's rows are counted."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.frames import Frame, step
from cutline.engine.restore.frames import (
    EXISTED_BEFORE,
    LEFT_SUBJECT,
    ROW_END,
    ROW_GROUP,
    changes_frame,
)
from cutline.engine.restore.row_history import by_position
from cutline.tables.change import DELETE
from cutline.translator.part import Part


def _with_ends(frame: DataFrame) -> Frame:
    return changes_frame(frame).with_columns(ROW_GROUP, LEFT_SUBJECT, ROW_END)


@step(needs=_with_ends, adds=(EXISTED_BEFORE,))
def with_existed_before(rows: DataFrame, part: Part, *, logged: bool) -> DataFrame:
    """The rows with EXISTED_BEFORE.

    It is computed only for a part with a log (`logged`) whose subjects may have several rows:
    there rows are counted. Elsewhere it is false.
    """
    one_row_per_subject = set(part.contract.key()) <= set(part.subject)
    return rows.withColumn(
        EXISTED_BEFORE, _existed_before() if logged and not one_row_per_subject else F.lit(False)
    )


def _existed_before() -> Column:
    # A row that leaves a subject comes to another with the same change: both look at what was.
    turn = F.when(F.col(LEFT_SUBJECT), 0).otherwise(1)
    earlier = by_position(ROW_GROUP, turn).rowsBetween(Window.unboundedPreceding, -1)
    readable = F.col(ROW_END).isNull() & ~F.col(LEFT_SUBJECT)
    stands = F.when(readable, F.col("op") != DELETE)
    return F.coalesce(F.last(stands, ignorenulls=True).over(earlier), F.lit(False))
