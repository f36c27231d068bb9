"""Lookups, both ways: which rows look up a row that changed, and which rows are looked up.

Rows are met by the first column of the lookup alone, in any image: that is more than the lookup
itself joins, and never less.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance.frames import KEY, ROW_KEYS
from cutline.engine.frames import Frame, frame_of, step
from cutline.spark.among import among
from cutline.tables.change import changes as changes_table
from cutline.translator.part import HOLD, Lookup
from cutline.translator.translator import Translator

_PLACE = Frame(
    "a change", frame_of(changes_table("s", "t", "struct<x:int>")).named("source", "table", "key")
)
_VALUE = "looked_at"


def needs_lookers(translator: type[Translator], lookup: Lookup, *, exact_commits: bool) -> bool:
    """Whether a later change of a looked-up row may change what earlier rows saw.

    It cannot where all is of one log that tells whole transactions (`exact_commits`), for there an
    image sees the row of its commit; but for rows that wait until one comes.
    """
    sources = {part.contract.source() for part in translator.parts.values()}
    of_one_log = sources == {lookup.contract.source()}
    waits = lookup.required and lookup.missing == HOLD
    return not (of_one_log and exact_commits and lookup.by_commit and not waits)


@step(needs=_PLACE, returns=ROW_KEYS)
def lookers(
    primary_changes: DataFrame, lookup: Lookup, reference: DataFrame, changed: DataFrame
) -> DataFrame:
    """The keys of rows that may look up a row whose key is among `changed`.

    `primary_changes` are all changes of the translator's first part, `reference` those of the
    looked-up table. `changed` is as ROW_KEYS.
    """
    values = _values(among(reference, changed), lookup.by[0])
    return _keys_with(primary_changes, lookup.on[0], values)


@step(needs=_PLACE, returns=ROW_KEYS)
def looked_up_rows(reference: DataFrame, lookup: Lookup, primary_changes: DataFrame) -> DataFrame:
    """The keys of the rows of a looked-up table that some of these changes may look up.

    `reference` are all changes of that table.
    """
    return _keys_with(reference, lookup.by[0], _values(primary_changes, lookup.on[0]))


def _values(changes: DataFrame, column: str) -> DataFrame:
    images = F.array(*_images(column))
    values = changes.select(F.explode(images).alias(_VALUE))
    return values.where(F.col(_VALUE).isNotNull()).distinct()


def _keys_with(changes: DataFrame, column: str, values: DataFrame) -> DataFrame:
    """The keys of the changes one of whose images has one of the values."""
    pairs = changes.select(*KEY, F.explode(F.array(*_images(column))).alias("value"))
    meeting = pairs.join(values, F.col("value") == F.col(_VALUE), "left_semi")
    return meeting.select(*KEY).distinct()


def _images(column: str) -> list[Column]:
    return [F.col(side).getField(column) for side in ("after", "before")]
