"""Commits: the changes of a subject that became visible at once.

A transaction becomes visible as a whole. So its rows make one image, at one place in the subject's
history: that of the last of them.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.engine.compose.frames import (
    ABSENT,
    AS_COMMITTED,
    BROKEN_BEFORE,
    COMMIT_AT,
    COMMIT_COLUMNS,
    COMMIT_OF,
    COMMIT_TIME,
    GROUP,
    GROUPED_CHANGES,
    LANE,
    PART_NUMBER,
    PHASE,
    ROW_BEFORE,
    ROW_ORDER,
    SOUND,
    SUPERSEDED,
    UNREAD,
    UNREAD_BEFORE,
)
from cutline.engine.frames import step
from cutline.engine.restore import ROW_END, ROW_GROUP
from cutline.positions import FIRST_DIGITS
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.tables.disposition import QUARANTINED


def commit_id(*, by_partition: bool) -> Column:
    """One text for all changes of a commit within its source; never null.

    | the change has                                   | its commit is                           |
    |--------------------------------------------------|-----------------------------------------|
    | op `r`                                           | its position, behind `~`                |
    | a `commit` that is the first part of a position  | the `commit`                            |
    | a `transaction`                                  | that, with the position's first part    |
    | neither                                          | its own: its `commit`, or its position  |

    The position's first part is there because transaction ids begin again. It is left out where
    positions are places in a topic (`by_partition`): a transaction may have rows in several
    partitions.
    """
    first = F.lit(None).cast("string") if by_partition else F.left("position", F.lit(FIRST_DIGITS))
    return (
        F.when(F.col("op") == SNAPSHOT, F.concat(F.lit("~"), F.coalesce("position", F.lit(""))))
        .when(F.length("commit") == FIRST_DIGITS, F.col("commit"))
        .when(F.col("transaction").isNotNull(), F.concat_ws("@", "transaction", first))
        .otherwise(F.coalesce("commit", "position", F.lit("")))
    )


def commit_is_known() -> Column:
    """Whether the log says which other changes were in the change's commit; never null."""
    by_position = F.coalesce(F.length("commit") == FIRST_DIGITS, F.lit(False))
    return by_position | F.col("transaction").isNotNull()


def commit_order() -> WindowSpec:
    """The changes of one subject by one source, in the order of its commits."""
    return Window.partitionBy(GROUP, "source", LANE).orderBy(*AS_COMMITTED)


def is_quarantined() -> Column:
    """Whether the row was quarantined before it was composed; never null."""
    return F.coalesce(F.col(ROW_END).getField("disposition") == QUARANTINED, F.lit(False))


def row_state() -> Column:
    """What the change left of its row: ABSENT, SOUND or UNREAD; null where it left what was."""
    counts = F.col(ROW_END).isNull() | is_quarantined()
    left = F.when(F.col("op") == DELETE, ABSENT).when(is_quarantined(), UNREAD).otherwise(SOUND)
    return F.when(counts, left)


@step(needs=GROUPED_CHANGES, adds=COMMIT_COLUMNS)
def with_commits(rows: DataFrame, *, composed: bool) -> DataFrame:
    """The rows with COMMIT_COLUMNS; COMMIT_OF becomes null for snapshot rows.

    It takes the order that `commit_order` has sorted before it, and sorts each group once more;
    twice if images are `composed`, so that a group has several rows.
    """
    clock = commit_order().rowsBetween(Window.unboundedPreceding, 0)
    earlier = commit_order().rowsBetween(Window.unboundedPreceding, -1)
    broken = is_quarantined()
    rows = rows.withColumns(
        {
            # A source's own order outranks its clock: a time never goes back.
            COMMIT_TIME: F.max("source_time").over(clock),
            BROKEN_BEFORE: F.max(broken).over(clock),
            # Rows that the snapshot shows, or that came twice, do not count.
            UNREAD_BEFORE: F.coalesce(
                F.last(F.when(broken | F.col(ROW_END).isNull(), broken), ignorenulls=True).over(
                    earlier
                ),
                F.lit(False),
            ),
        }
    )
    row_order = commit_order()
    if composed:
        row_order = Window.partitionBy(GROUP, "source", PART_NUMBER, ROW_GROUP).orderBy(*ROW_ORDER)
    before = row_order.rowsBetween(Window.unboundedPreceding, -1)
    last_state = F.last(row_state(), ignorenulls=True).over(before)
    rows = rows.withColumn(ROW_BEFORE, F.coalesce(last_state, F.lit(ABSENT)))
    of_row = Window.partitionBy(GROUP, "source", COMMIT_OF, PART_NUMBER, ROW_GROUP)
    place = F.struct(*ROW_ORDER)
    # Nobody read what stood before the last change either if that one cannot be read.
    last = F.max(F.when((F.col(PHASE) == 1) | broken, place)).over(of_row)
    superseded = (F.col(PHASE) == 1) & (place < last)
    rows = rows.withColumn(SUPERSEDED, F.coalesce(superseded, F.lit(False)))
    whole = Window.partitionBy(GROUP, "source", COMMIT_OF)
    # A snapshot is one moment, before all commits.
    changed = F.col(PHASE) > 0
    return rows.withColumns(
        {
            COMMIT_TIME: F.when(changed, F.max(COMMIT_TIME).over(whole)),
            COMMIT_AT: F.when(changed, F.max("position").over(whole)),
            COMMIT_OF: F.when(changed, F.col(COMMIT_OF)),
            BROKEN_BEFORE: F.max(BROKEN_BEFORE).over(whole),
            UNREAD_BEFORE: F.max(UNREAD_BEFORE).over(whole),
        }
    )
