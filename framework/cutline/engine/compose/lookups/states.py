"""What the changes of a looked-up table left of its rows."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.cut import AFTER, BEFORE
from cutline.engine.compose.commits import is_quarantined
from cutline.engine.compose.frames import ABSENT, CLASSIFIED, SOUND, UNREAD
from cutline.engine.compose.lookups.frames import (
    OF_SNAPSHOT,
    ROW_STATE,
    WAS_QUARANTINED,
    state_columns,
)
from cutline.engine.frames import step
from cutline.engine.restore import READ_AGAIN_RULE, REREAD, ROW_END, SIDE, row_without_key
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import QUARANTINED


@step(needs=CLASSIFIED, adds=state_columns)
def changes_that_count(changes: DataFrame, all_sound: bool) -> DataFrame:
    """Of the changes of a looked-up table, those up to the cut that left something of their rows.

    Each has its ROW_STATE, unless `all_sound` says that none was quarantined: then those count that
    have no end by themselves. What may lie on either side of the cut is UNREAD, also a deletion. A
    row that was read once more counts as often as it was read, for it may be behind such a change.
    """
    if all_sound:
        return changes.where(F.col(ROW_END).isNull() & (F.col(SIDE) != AFTER))
    # ROW_END is a long expression, and each use of it makes the plan longer.
    quarantined = F.col(ROW_END).getField("disposition") == QUARANTINED
    counts = quarantined | (F.col(ROW_END).getField("rule") == READ_AGAIN_RULE)
    changes = changes.where(F.coalesce(counts, F.lit(True)) & _may_be_in_history())
    changes = changes.withColumn(WAS_QUARANTINED, F.coalesce(quarantined, F.lit(False)))
    in_doubt = F.col(WAS_QUARANTINED) & F.coalesce(F.col(SIDE) != BEFORE, F.lit(True))
    state = F.when((F.col("op") == DELETE) & ~in_doubt, ABSENT)
    state = state.when(F.col(WAS_QUARANTINED), UNREAD).otherwise(SOUND)
    changes = changes.withColumn(ROW_STATE, state)
    earlier = (
        Window.partitionBy(row_of_table(all_sound))
        .orderBy("position", "partition", "offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    is_first = F.count("*").over(earlier) == 0
    return changes.withColumn(OF_SNAPSHOT, (F.col("op") == SNAPSHOT) & is_first)


@step(needs=CLASSIFIED, adds=())
def quarantined_in_history(changes: DataFrame) -> DataFrame:
    """Of the changes of a looked-up table, the quarantined ones that may lie before the cut."""
    return changes.where(is_quarantined() & _may_be_in_history())


def _may_be_in_history() -> Column:
    """Whether a change may lie before the cut: also one of which nothing says where; never null."""
    return F.coalesce(F.col(SIDE) != AFTER, F.lit(True))


def row_of_table(all_sound: bool) -> Column:
    """One text for all changes of a key; a quarantined row without one is by itself."""
    return F.col("key") if all_sound else F.coalesce("key", row_without_key())


def in_snapshot(all_sound: bool) -> Column:
    """Whether the change is a snapshot's row, before all others of its row; never null."""
    return (F.col("op") == SNAPSHOT) & ~F.col(REREAD) if all_sound else F.col(OF_SNAPSHOT)
