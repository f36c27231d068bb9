"""The values by which images and looked-up rows are joined."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose.frames import UNREAD
from cutline.engine.compose.lookups.frames import ROW_STATE, lookup_key
from cutline.engine.rules import LAST, image
from cutline.translator.part import Lookup


def lookup_keys(lookup: Lookup, last_sound: Column | None = None) -> list[Column]:
    """The values by which changes are looked up, from their `after`.

    With `last_sound`, their rows' last sound image, they have a ROW_STATE: what a quarantined
    change does not tell is as it was.
    """
    after = F.col("after")

    def value(column: str) -> Column:
        if last_sound is None:
            return after.getField(column)
        former = F.when(F.col(ROW_STATE) == UNREAD, last_sound.getField(column))
        return F.coalesce(after.getField(column), former)

    return [value(column).alias(lookup_key(i)) for i, column in enumerate(lookup.by)]


def matches(lookup: Lookup, primary: str) -> Column:
    """Whether the last image of the part `primary` has the row's key; null equals nothing."""
    primary_row = image(LAST, primary)
    return reduce(
        Column.__and__,
        (primary_row.getField(c) == F.col(lookup_key(i)) for i, c in enumerate(lookup.on)),
    )
