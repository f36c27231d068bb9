"""All checks that a row fails travel with it: to its disposition, its exception, the topic."""

from __future__ import annotations

import datetime as dt
import json

from pyspark.sql import SparkSession

from cutline.engine.translate import reference_rows, translate_changes
from cutline.lake.lake import Lake
from cutline.stages.merge import row_exceptions
from cutline.tables import EXCEPTION_HISTORY, EXCEPTIONS
from cutline.topics.publish import EventSource, exceptions, records
from cutline_reconciliation.history.identity import with_exception_id
from cutline_reconciliation.history.lifecycle import RunStamp, history
from support.changes import change, changes_table, position, snapshot
from support.shop import OldOrder, OldPiece, Orders, order

CUT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
BAD = snapshot(order("bad", "Q", cents=-1))
ROWS = [
    snapshot(order("good")),
    BAD,
    snapshot(order("unread", "Q"), defects=["wrong-type:cents", "missing-column:channel"]),
    snapshot(order("odd", "?")),
]


def test_every_failed_check_is_in_the_disposition(spark: SparkSession) -> None:
    frame = translate_changes(Orders, {OldOrder: changes_table(spark, OldOrder, ROWS)})
    ends = {r["subject"]: (r["rule"], r["checks"]) for r in frame.collect()}
    assert ends == {
        "good": ("Placed", []),
        "bad": ("contract:status:isin", ["contract:status:isin", "contract:cents:ge"]),
        "unread": ("wrong-type:cents", ["wrong-type:cents", "missing-column:channel"]),
        "odd": ("unreadable-status", []),
    }


def test_a_bad_change_is_told_too_but_not_one_that_the_snapshot_shows(spark: SparkSession) -> None:
    good, bad = order("o"), order("o", "Q", cents=-1)
    rows = [
        snapshot(good),
        change("u", 3, before=good, after=bad),
        change("u", 10, before=good, after=bad),
        change("d", 11, before=bad),
    ]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    frame = translate_changes(Orders, {OldOrder: changes}).orderBy("position")
    assert [len(r["checks"]) for r in frame.collect()] == [0, 0, 2, 0]


def test_reference_data_is_judged_as_well(spark: SparkSession) -> None:
    rows = [snapshot({"bundle": "B", "sku": None, "pieces": None})]
    (row,) = reference_rows(OldPiece, changes_table(spark, OldPiece, rows)).collect()
    assert row["checks"] == ["contract:sku:nullable", "contract:pieces:nullable"]


def test_exceptions_name_them_in_the_lake_and_on_the_topic(spark: SparkSession, tmp_path) -> None:
    frame = translate_changes(Orders, {OldOrder: changes_table(spark, OldOrder, [BAD])})
    lake = Lake(str(tmp_path))
    lake.write(row_exceptions(frame), EXCEPTIONS)
    stored = lake.read(spark, EXCEPTIONS)
    (row,) = stored.collect()
    assert row["checks"] == ["contract:status:isin", "contract:cents:ge"]
    assert row["reason"] == (
        "the row breaks its contract: status is none of the allowed values; cents is below 0"
    )
    named = with_exception_id(stored, "shop", "eu")
    nothing = spark.createDataFrame([], EXCEPTION_HISTORY.ddl)
    remembered = history(named, nothing, RunStamp("run-1", CUT))
    announced = exceptions(remembered, "exceptions", "run-1")
    (record,) = records(announced, EventSource("shop", "eu", "run-1", CUT)).collect()
    assert json.loads(record["value"])["checks"] == row["checks"]
