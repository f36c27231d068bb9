"""Marks: columns of truth about the subject itself, beside the columns of its state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

NOT_ELIGIBLE_REASON, CHANGED_AT, CATEGORY = "not_eligible", "changed_at", "category"
"""The columns: why a subject is not eligible, when it was changed, what it counts as."""

MARK_TYPES: Mapping[str, T.DataType] = {
    NOT_ELIGIBLE_REASON: T.StringType(),
    CHANGED_AT: T.TimestampType(),
}
"""The types of marks."""


def marks_of(columns: Iterable[str], state: Iterable[str]) -> tuple[str, ...]:
    """The marks among the columns of an answer; a column of the state is no mark."""
    state_columns = set(state)
    return tuple(c for c in columns if c in MARK_TYPES and c not in state_columns)


def ineligible_reason(marks: Iterable[str]) -> Column:
    """The reason in the struct `left`; null for an eligible subject."""
    if NOT_ELIGIBLE_REASON in marks:
        return F.col("left").getField(NOT_ELIGIBLE_REASON)
    return F.lit(None).cast("string")


def changed_after(marks: Iterable[str], until: dt.datetime | None) -> Column:
    """Whether the struct `left` has a change after the moment; never null."""
    if CHANGED_AT in marks:
        return F.coalesce(F.col("left").getField(CHANGED_AT) > F.lit(until), F.lit(False))
    return F.lit(False)
