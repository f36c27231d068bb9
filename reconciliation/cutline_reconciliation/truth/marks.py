"""Marks: columns of truth about the subject itself, beside the columns of its state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.errors import ConfigurationError, did_you_mean

NOT_ELIGIBLE_REASON, CHANGED_AT, CATEGORY = "not_eligible", "changed_at", "category"
"""The columns: why a subject is not eligible, when it was changed, what it counts as."""

MARK_TYPES: Mapping[str, T.DataType] = {
    NOT_ELIGIBLE_REASON: T.StringType(),
    CHANGED_AT: T.TimestampType(),
}
"""The types of marks."""


OUTCOME_COLUMNS = ("subject", "value", NOT_ELIGIBLE_REASON, CHANGED_AT, CATEGORY)
"""What the legacy's answer to an outcome may return."""
DECIDE_COLUMNS = tuple(column for column in OUTCOME_COLUMNS if column != CHANGED_AT)
"""What the new side's answer may return."""


def refuse_other_columns(
    answer: str, columns: Iterable[str], allowed: Iterable[str], left_behind: str
) -> None:
    """ConfigurationError for a column of an answer, which messages call so, that is not allowed."""
    names = list(allowed)
    for column in columns:
        if column not in names:
            raise ConfigurationError(
                f"{answer} returns a column {column!r}, which means nothing."
                + did_you_mean(column, names),
                left_behind=left_behind,
                next_step=f"It may return: {', '.join(names)}.",
            )


def marks_of(columns: Iterable[str], state: Iterable[str]) -> tuple[str, ...]:
    """The marks among the columns of an answer; a column of the state is no mark."""
    state_columns = set(state)
    return tuple(c for c in columns if c in MARK_TYPES and c not in state_columns)


def without_blank_reasons(rows: DataFrame) -> DataFrame:
    """The rows of an answer. A reason of nothing but blanks is none: its subject is eligible."""
    if NOT_ELIGIBLE_REASON not in rows.columns:
        return rows
    reason = F.col(NOT_ELIGIBLE_REASON).cast("string")
    return rows.withColumn(NOT_ELIGIBLE_REASON, F.when(~reason.rlike(r"^\s*$"), reason))


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
