"""What the changes of a looked-up table left of its rows."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut import AFTER, BEFORE
from cutline.engine.compose.commits import is_quarantined
from cutline.engine.compose.frames import ABSENT, CLASSIFIED, SOUND, UNREAD
from cutline.engine.compose.lookups.frames import ROW_STATE, WAS_QUARANTINED, state_columns
from cutline.engine.frames import step
from cutline.engine.restore import REREAD, ROW_END, SIDE
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import QUARANTINED


@step(needs=CLASSIFIED, adds=state_columns)
def changes_that_count(changes: DataFrame, all_sound: bool) -> DataFrame:
    """Of the changes of a looked-up table, those up to the cut that left something of their rows.

    Each has its ROW_STATE, unless `all_sound` says that none was quarantined: then those count that
    have no end by themselves. What may lie on either side of the cut is UNREAD, also a deletion.
    """
    if all_sound:
        return changes.where(F.col(ROW_END).isNull() & (F.col(SIDE) != AFTER))
    # ROW_END is a long expression, and each use of it makes the plan longer.
    quarantined = F.col(ROW_END).getField("disposition") == QUARANTINED
    changes = changes.where(F.coalesce(quarantined, F.lit(True)) & _may_be_in_history())
    changes = changes.withColumn(WAS_QUARANTINED, F.col(ROW_END).isNotNull())
    in_doubt = F.col(WAS_QUARANTINED) & F.coalesce(F.col(SIDE) != BEFORE, F.lit(True))
    state = F.when((F.col("op") == DELETE) & ~in_doubt, ABSENT)
    state = state.when(F.col(WAS_QUARANTINED), UNREAD).otherwise(SOUND)
    return changes.withColumn(ROW_STATE, state)


@step(needs=CLASSIFIED, adds=())
def quarantined_in_history(changes: DataFrame) -> DataFrame:
    """Of the changes of a looked-up table, the quarantined ones that may lie before the cut."""
    return changes.where(is_quarantined() & _may_be_in_history())


def _may_be_in_history() -> Column:
    """Whether a change may lie before the cut: also one of which nothing says where; never null."""
    return F.coalesce(F.col(SIDE) != AFTER, F.lit(True))


def row_of_table(all_sound: bool) -> Column:
    """One text for all changes of a key; a quarantined row without one is by itself."""
    if all_sound:
        return F.col("key")
    place = F.xxhash64("source", "table", "payload", "position", "partition", "offset")
    return F.coalesce("key", F.concat(F.lit("?"), place.cast("string")))


def in_snapshot() -> Column:
    """Whether the change is a snapshot's row, before all others of its row; never null."""
    return (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
