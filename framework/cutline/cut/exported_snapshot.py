"""Snapshot and changes: what a snapshot that was exported at a log position already shows."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.change import SNAPSHOT


def visible_in_snapshot(op: Column, position: Column, point: str) -> Column:
    """Whether a change was committed before the consistent point; false for a snapshot row.

    `point` is that point as a position (see `cutline.positions.postgres`).

    What was committed exactly there is not visible: the rule is commit >= point keeps it. The row's
    own place in the log says nothing, because a transaction may write before and commit after.
    """
    return (op != SNAPSHOT) & (position < F.lit(point))
