"""A row whose first image breaks its contract: the next sound one announces what that one said."""

from __future__ import annotations

import datetime as dt
import json

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.shop import OldOrder, Orders, order

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
BROKEN = "Q"
"""A status that the contract does not know."""


def test_what_a_broken_first_image_said_is_announced_by_the_next_sound_one(
    spark: SparkSession,
) -> None:
    rows = [
        # Created by a row that breaks its contract; the log's next image before is sound.
        change("c", 10, after=order("created", BROKEN)),
        change("u", 11, before=order("created"), after=order("created", "R")),
        # The same, and the log repeats what was broken.
        change("c", 12, after=order("repeated", BROKEN)),
        change("u", 13, before=order("repeated", BROKEN), after=order("repeated", "R")),
        # A snapshot row that breaks it.
        snapshot(order("shown", BROKEN)),
        change("u", 14, before=order("shown"), after=order("shown", "R")),
        # What the log tells of a time before it began was announced then.
        change("u", 15, before=order("older"), after=order("older", "R")),
        # The row had been there before, and was deleted.
        change("c", 20, after=order("again")),
        change("d", 21, before=order("again")),
        change("c", 22, after=order("again", BROKEN)),
        change("u", 23, before=order("again", BROKEN), after=order("again", "R")),
        # A deleted row that changes after all was there, as nothing says.
        change("c", 24, after=order("gone")),
        change("d", 25, before=order("gone")),
        change("u", 26, before=order("gone"), after=order("gone", "R")),
        # A later image that breaks it changes nothing of that.
        change("u", 16, before=order("later"), after=order("later", "R")),
        change("u", 17, before=order("later", "R"), after=order("later", BROKEN)),
    ]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    types_by_row = {
        (json.loads(r["key"])[0], r["op"], r["rule"]): [e["type"] for e in r["events"]]
        for r in translate_changes(Orders, {OldOrder: changes}).collect()
    }
    quarantined = "contract:status:isin"
    assert types_by_row == {
        ("created", "c", quarantined): [],
        ("created", "u", "Placed, Released"): ["Placed", "Released"],
        ("repeated", "c", quarantined): [],
        ("repeated", "u", "Placed, Released"): ["Placed", "Released"],
        ("shown", "r", quarantined): [],
        ("shown", "u", "Placed, Released"): ["Placed", "Released"],
        ("older", "u", "Released"): ["Released"],
        ("again", "c", "Placed"): ["Placed"],
        ("again", "d", "deletion-without-meaning"): [],
        ("again", "c", quarantined): [],
        ("again", "u", "Placed, Released"): ["Placed", "Released"],
        ("gone", "c", "Placed"): ["Placed"],
        ("gone", "d", "deletion-without-meaning"): [],
        ("gone", "u", "no-prior-image"): [],
        ("later", "u", "Released"): ["Released"],
        ("later", "u", quarantined): [],
    }


def test_a_broken_row_of_a_change_file_keeps_its_payload(spark: SparkSession) -> None:
    rows = [change("c", 10, after=order("created", BROKEN))]
    changes = changes_table(spark, OldOrder, rows, consistent_point=position(5))
    (row,) = translate_changes(Orders, {OldOrder: changes}).collect()
    assert row["payload"] is not None
    assert json.loads(row["payload"])["status"] == BROKEN
