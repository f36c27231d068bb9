"""The sides of a cut line."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.change import SNAPSHOT

BEFORE, OVERLAP, AFTER = "before", "overlap", "after"
"""History, where both may be, the tail. A change that cannot be placed has no side: null."""


def side_of(before: Column) -> Column:
    """The side of a change for which `before` says whether it is history; null where it is null.

    A snapshot's row is always history.
    """
    side = F.when(before, F.lit(BEFORE)).when(~before, F.lit(AFTER))
    return snapshot_before(side)


def snapshot_before(log_side: Column) -> Column:
    """The side `log_side` for changes of the log, and history for a snapshot's row."""
    return F.when(F.col("op") == SNAPSHOT, F.lit(BEFORE)).otherwise(log_side)
