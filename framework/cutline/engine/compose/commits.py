"""Commits: which changes of a subject nobody could read apart, and how their rows stand in them.

A transaction becomes visible as a whole. So its rows make one image, and stand at one place in the
subject's history: that of the last of them, and none before the whole commit.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.engine.restore import ROW_GROUP
from cutline.positions import FIRST_DIGITS
from cutline.tables.change import SNAPSHOT
from cutline.tables.disposition import QUARANTINED

COMMIT_OF, COMMIT_AT, COMMIT_TIME = "commit_of", "commit_at", "commit_time"
"""Which commit of its source a change belongs to, the last position that it has in the subject's
history, and when it was committed by the source's own order: later than what came before it."""

SUPERSEDED = "superseded"
"""Whether another change of the same row follows in the same commit: nobody read this one."""

BROKEN_BEFORE = "broken_before"
"""Whether a row of the subject, of the same source, was quarantined for what it is, by then."""

UNREAD_BEFORE = "unread_before"
"""Whether a row of the subject right before one of the commit's, of the same source, was
quarantined for what it is."""

COMMIT_UNKNOWN, COMMIT_IN_DOUBT = "untold_", "in_doubt_"
"""With a view's name: whether nothing tells what else the image's commit did, or whether a row of
it was quarantined, so that nobody knows."""

LANE = "lane"
"""The topic's partition, of a source whose order is that of each partition; else null."""

AS_COMMITTED = ("position", "part", "key", "turn", "partition", "offset")
"""Within a source, what its changes are ordered by; of what was delivered twice, the first."""


def commit_id(*, by_partition: bool) -> Column:
    """Which commit a change belongs to, from what its source tells of it; never null.

    What the log gives one commit position was seen by everybody at once. Where it tells none that
    is a commit's, the transaction's id does, with the first number of the position: ids begin
    again. It is left out where positions are places in a topic (`by_partition`), for a transaction
    may have rows in several. Where no id is told either, each record is a commit of its own, and
    so is a row that was read again, behind all that it may have seen.
    """
    first = F.lit(None).cast("string") if by_partition else F.left("position", F.lit(FIRST_DIGITS))
    return (
        F.when(F.col("op") == SNAPSHOT, F.concat(F.lit("~"), F.coalesce("position", F.lit(""))))
        .when(F.length("commit") == FIRST_DIGITS, F.col("commit"))
        .when(F.col("transaction").isNotNull(), F.concat_ws("@", "transaction", first))
        .otherwise(F.coalesce("commit", "position", F.lit("")))
    )


def commit_is_known() -> Column:
    """Whether anything tells with which other changes one was committed; never null."""
    by_position = F.coalesce(F.length("commit") == FIRST_DIGITS, F.lit(False))
    return by_position | F.col("transaction").isNotNull()


def commit_order(group: str) -> WindowSpec:
    """The changes of a subject's group that one source made, as it committed them."""
    return Window.partitionBy(group, "source", LANE).orderBy(*AS_COMMITTED)


def with_commits(rows: DataFrame, group: str) -> DataFrame:
    """The rows with COMMIT_TIME, COMMIT_AT, SUPERSEDED, BROKEN_BEFORE and UNREAD_BEFORE.

    They have COMMIT_OF, which is null for a snapshot's afterwards.

    It follows `commit_order`, whose order it takes, and sorts each group once more.
    """
    clock = commit_order(group).rowsBetween(Window.unboundedPreceding, 0)
    earlier = commit_order(group).rowsBetween(Window.unboundedPreceding, -1)
    broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
    rows = rows.withColumns(
        {
            # A source's own order outranks its clock: one that runs backwards is held where it was.
            COMMIT_TIME: F.max("source_time").over(clock),
            BROKEN_BEFORE: F.max(broken).over(clock),
            # What the snapshot shows already, or came twice, is no row in between.
            UNREAD_BEFORE: F.coalesce(
                F.last(F.when(broken | F.col("row_end").isNull(), broken), ignorenulls=True).over(
                    earlier
                ),
                F.lit(False),
            ),
        }
    )
    of_row = Window.partitionBy(group, "source", COMMIT_OF, "phase", "part", ROW_GROUP)
    later = F.lead("position").over(of_row.orderBy("position", "turn", "partition", "offset"))
    rows = rows.withColumn(SUPERSEDED, later.isNotNull() & (F.col("phase") == 1))
    whole = Window.partitionBy(group, "source", COMMIT_OF)
    # A snapshot is one moment, before all changes.
    changed = F.col("phase") > 0
    return rows.withColumns(
        {
            COMMIT_TIME: F.when(changed, F.max(COMMIT_TIME).over(whole)),
            COMMIT_AT: F.when(changed, F.max("position").over(whole)),
            COMMIT_OF: F.when(changed, F.col(COMMIT_OF)),
            BROKEN_BEFORE: F.max(BROKEN_BEFORE).over(whole),
            UNREAD_BEFORE: F.max(UNREAD_BEFORE).over(whole),
        }
    )
