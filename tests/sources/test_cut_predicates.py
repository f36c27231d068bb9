"""Cut predicates on literal rows, at the line and beside it."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import functions as F

from cutline.cut import after_cut, visible_in_snapshot
from cutline.positions import position, postgres

CUT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
TICK = dt.timedelta(microseconds=1)


def test_what_was_committed_before_the_consistent_point_is_visible(spark):
    rows = [
        ("before", "u", position(999, 5000, 9)),
        ("at the point", "c", position(1000)),
        # Written before the point and committed after it: a cut by the row's place would lose it.
        ("row before, commit after", "u", position(1001, 10, 1)),
        ("snapshot", "r", position(1000)),
        ("snapshot row of another place", "r", position(0)),
    ]
    frame = spark.createDataFrame(rows, "name string, op string, position string")
    visible = visible_in_snapshot(F.col("op"), F.col("position"), postgres("1000"))
    assert [r["name"] for r in frame.where(visible).collect()] == ["before"]
    assert frame.where(visible.isNull()).count() == 0


def test_what_was_committed_at_the_cut_is_history(spark):
    rows = [("before", CUT - TICK), ("at", CUT), ("after", CUT + TICK), ("snapshot", None)]
    frame = spark.createDataFrame(rows, "name string, at timestamp")
    late = after_cut(F.col("at"), CUT)
    assert [r["name"] for r in frame.where(late).collect()] == ["after"]
    assert frame.where(late.isNull()).count() == 0
