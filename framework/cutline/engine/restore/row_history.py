"""Columns that a change did not tell: their last known value, carried forward by position."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from cutline.cut import BEFORE
from cutline.tables.change import DELETE, SNAPSHOT

LIVE = "live"
"""Whether a change says something that the snapshot does not show, and could be read."""


REREAD = "reread"
"""Whether a row was read again after a change of it had come: an image like any other."""


def by_position(group: str, *then: Column) -> WindowSpec:
    """The changes of a row as they were committed; `then` orders what one of them became."""
    return Window.partitionBy(group).orderBy("position", "partition", "offset", *then)


def with_columns_filled(rows: DataFrame, group: str, names: Sequence[str]) -> DataFrame:
    """The rows with `after` filled, and `still_unknown`: the columns of which nothing was known.

    A null is filled only where the change itself says that it did not tell the column. Nothing is
    known any more behind a deletion, or behind a change that could not be read.
    """
    so_far = by_position(group).rowsBetween(Window.unboundedPreceding, 0)
    after = F.col("after")
    image = rows.schema["after"].dataType
    assert isinstance(image, StructType)
    kinds = {field.name: field.dataType for field in image.fields}
    has_image = F.col(LIVE) & after.isNotNull()
    unread = (F.size("defects") > 0) & (F.col("op") != SNAPSHOT) & (F.col("shown") != BEFORE)
    over = F.coalesce(unread | (F.col(LIVE) & (F.col("op") == DELETE)), F.lit(False))
    filled: list[Column] = []
    lost: list[Column] = []
    for name in names:
        is_unknown = F.coalesce(F.array_contains("unknown", name), F.lit(False))
        value = after.getField(name)
        from_change = F.struct(value.alias("v"), F.lit(True).alias("is_known"))
        nothing = F.struct(F.lit(None).cast(kinds[name]).alias("v"), F.lit(False).alias("is_known"))
        value_or_reset = F.when(over, nothing).when(has_image & ~is_unknown, from_change)
        last = F.last(value_or_reset, ignorenulls=True).over(so_far)
        missing = ~F.coalesce(last.getField("is_known"), F.lit(False))
        filled.append(F.when(is_unknown, last.getField("v")).otherwise(value).alias(name))
        lost.append(F.when(has_image & is_unknown & missing, F.lit(name)))
    return rows.withColumns(
        {
            "after": F.when(after.isNotNull(), F.struct(*filled)),
            "still_unknown": F.array_compact(F.array(*lost)),
        }
    )


def with_rereads(rows: DataFrame, group: str) -> DataFrame:
    """The rows with REREAD, and `read_again`: a snapshot row that was read once more right after.

    A snapshot that was interrupted begins again, and its rows come twice; the later one counts.
    """
    order = by_position(group)
    earlier = order.rowsBetween(Window.unboundedPreceding, -1)
    later = order.rowsBetween(1, Window.unboundedFollowing)
    live, snapshot = F.col(LIVE), F.col("op") == SNAPSHOT
    changed = F.coalesce(F.max(live & ~snapshot).over(earlier), F.lit(False))
    following = F.first(F.when(live, F.col("op")), ignorenulls=True).over(later)
    mine = live & snapshot
    return rows.withColumns(
        {
            REREAD: mine & changed,
            "read_again": F.coalesce(mine & (following == SNAPSHOT), F.lit(False)),
        }
    )


def with_image_before(rows: DataFrame, group: str) -> DataFrame:
    """The rows with `before` of updates and deletions: as told, or else as the row was last known.

    `seen_before` says whether anything of the row was known before the change.
    """
    earlier = by_position(group).rowsBetween(Window.unboundedPreceding, -1)
    # Wrapped, so that a deletion (a null image) is not skipped as if nothing had come.
    image = F.struct(F.col("after").alias("row"))
    last = F.last(F.when(F.col(LIVE), image), ignorenulls=True).over(earlier)
    ends = F.col("op").isin("u", "d")
    return rows.withColumns(
        {
            "seen_before": last.isNotNull() | F.col("before").isNotNull(),
            "before": F.when(ends, F.coalesce("before", last.getField("row"))),
        }
    )
