"""What a change leaves out, carried forward by position from the row's earlier changes."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from cutline.cut import BEFORE
from cutline.engine.frames import Frame, step
from cutline.engine.restore.frames import (
    LIVE,
    READ_AGAIN,
    REREAD,
    SEEN_BEFORE,
    SNAPSHOT_SIDE,
    STILL_UNKNOWN,
    grouped_changes,
)
from cutline.engine.windows import next_not_null
from cutline.tables.change import DELETE, SNAPSHOT


def by_position(group: str, *then: Column) -> WindowSpec:
    """The changes of a row in the order of their commits; `then` orders the rows of one change."""
    return Window.partitionBy(group).orderBy("position", "partition", "offset", *then)


@step(needs=grouped_changes, adds=(STILL_UNKNOWN,))
def with_columns_filled(rows: DataFrame, group: str, names: Sequence[str]) -> DataFrame:
    """The rows with `after` filled in from what came before it, and STILL_UNKNOWN.

    A null is filled only where the change's `unknown` names the column: any other null is a value.
    A value that did not move is that of the change's `before`, where it has one, else the last of
    the row's earlier changes. A deletion, and a change that could not be read, end what is known of
    the row.

    | op | before | unknown | note | filled in | still_unknown |
    |----|--------|---------|------|-----------|---------------|
    | c  |        |         | a    | a         |               |
    | u  |        | note    |      | a         |               |
    | u  |        |         |      |           |               |
    | u  |        | note    |      |           |               |
    | d  |        |         |      |           |               |
    | u  |        | note    |      |           | note          |
    | u  | b      | note    |      | b         |               |
    | u  |        | note    |      | b         |               |
    """
    so_far = by_position(group).rowsBetween(Window.unboundedPreceding, 0)
    after, before = F.col("after"), F.col("before")
    image = rows.schema["after"].dataType
    assert isinstance(image, StructType)
    kinds = {field.name: field.dataType for field in image.fields}
    has_image = F.col(LIVE) & after.isNotNull()
    unread = (F.size("defects") > 0) & (F.col("op") != SNAPSHOT) & (F.col(SNAPSHOT_SIDE) != BEFORE)
    over = F.coalesce(unread | (F.col(LIVE) & (F.col("op") == DELETE)), F.lit(False))
    filled: list[Column] = []
    lost: list[Column] = []
    for name in names:
        is_unknown = F.coalesce(F.array_contains("unknown", name), F.lit(False))
        value = after.getField(name)
        own_value = F.when(is_unknown, before.getField(name)).otherwise(value)
        from_change = F.struct(own_value.alias("v"), F.lit(True).alias("is_known"))
        nothing = F.struct(F.lit(None).cast(kinds[name]).alias("v"), F.lit(False).alias("is_known"))
        has_value = has_image & (~is_unknown | before.isNotNull())
        value_or_reset = F.when(over, nothing).when(has_value, from_change)
        last = F.last(value_or_reset, ignorenulls=True).over(so_far)
        missing = ~F.coalesce(last.getField("is_known"), F.lit(False))
        filled.append(F.when(is_unknown, last.getField("v")).otherwise(value).alias(name))
        lost.append(F.when(has_image & is_unknown & missing, F.lit(name)))
    return rows.withColumns(
        {
            "after": F.when(after.isNotNull(), F.struct(*filled)),
            STILL_UNKNOWN: F.array_compact(F.array(*lost)),
        }
    )


def _reread(frame: DataFrame) -> Frame:
    return grouped_changes(frame).with_columns(REREAD, READ_AGAIN)


@step(needs=_reread)
def with_rereads(rows: DataFrame, group: str) -> DataFrame:
    """The rows with REREAD and READ_AGAIN of snapshot rows; both are false for changes.

    A snapshot that was interrupted begins again, and its rows come twice: the later one counts.
    """
    order = by_position(group)
    earlier = order.rowsBetween(Window.unboundedPreceding, -1)
    live, snapshot = F.col(LIVE), F.col("op") == SNAPSHOT
    changed = F.coalesce(F.max(live & ~snapshot).over(earlier), F.lit(False))
    rows = rows.withColumn("live_op", F.when(live, F.col("op")))
    following = next_not_null("live_op").over(order)
    mine = live & snapshot
    return rows.withColumns(
        {
            REREAD: mine & changed,
            READ_AGAIN: F.coalesce(mine & (following == SNAPSHOT), F.lit(False)),
        }
    ).drop("live_op")


@step(needs=grouped_changes, adds=(SEEN_BEFORE,))
def with_image_before(rows: DataFrame, group: str) -> DataFrame:
    """The rows with SEEN_BEFORE, and `before` of updates and deletions filled in.

    Where the change has no `before`, it is the `after` of the row's last live change; null where
    there is none. Creations and snapshot rows have none.
    """
    earlier = by_position(group).rowsBetween(Window.unboundedPreceding, -1)
    # Wrapped, so that a deletion (a null image) is not skipped as if nothing had come.
    image = F.struct(F.col("after").alias("row"))
    last = F.last(F.when(F.col(LIVE), image), ignorenulls=True).over(earlier)
    ends = F.col("op").isin("u", "d")
    return rows.withColumns(
        {
            SEEN_BEFORE: last.isNotNull() | F.col("before").isNotNull(),
            "before": F.when(ends, F.coalesce("before", last.getField("row"))),
        }
    )
