"""Chunks that are extracted while the log is read: which of their rows are stale.

A chunk is selected between two watermarks of the log and put into the stream there. Where a commit
becomes visible later than it is logged, a change from before the low watermark may be missing in
the chunk, which would then undo it. So the window is not what lies between the watermarks, but
whatever the chunk's own snapshot does not see.

Source: "DBLog: A Watermark Based Change-Data-Capture Framework" (Andreakis, Papapanagiotou), whose
window this is but for what it is keyed on. Only tests use this so far: readers of databases over
the network will.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.cut.policy import CutPolicy
from cutline.cut.side import BEFORE
from cutline.tables.change import SNAPSHOT


def current_rows(
    chunk: DataFrame, changes: DataFrame, snapshot: CutPolicy, key: Sequence[str]
) -> DataFrame:
    """The rows of `chunk` that hold when the stream has come to the chunk's place in it.

    `changes` are those of the table up to that place, in the columns of a changes table, and tell
    whole rows; `snapshot` is the line of the chunk's own snapshot. A row is left out if its key, or
    the one that it had before, was touched by a change that the snapshot does not see, or of which
    that cannot be told: its last state is in the stream. Keys are compared column by column, each
    as a value of the chunk's own type, never as text.
    """
    side = snapshot.side()
    unseen = (F.col("op") != SNAPSHOT) & F.coalesce(side != BEFORE, F.lit(True))
    touched = touched_keys(changes.where(unseen), chunk, key)
    equal_keys = [chunk[name].eqNullSafe(touched[_keys_of_change(i)]) for i, name in enumerate(key)]
    return chunk.join(touched, reduce(Column.__and__, equal_keys), "left_anti")


def touched_keys(changes: DataFrame, chunk: DataFrame, key: Sequence[str]) -> DataFrame:
    """The keys before and after each change, a column for each of the key's, typed as the chunk's.

    Spark's error for a key whose value is none of that type.
    """
    texts = F.array_compact(F.array("key", "old_key"))
    tuples = F.transform(texts, lambda text: F.from_json(text, "array<string>"))
    values = changes.select(F.explode(tuples).alias("values"))
    typed = [
        F.get("values", F.lit(i)).cast(chunk.schema[name].dataType).alias(_keys_of_change(i))
        for i, name in enumerate(key)
    ]
    return values.select(*typed).distinct()


def _keys_of_change(place: int) -> str:
    return f"touched_{place}"
