"""Columns that the rules share while an event has no end yet."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event
from cutline.tables.event import EFFECTIVE, EXACT, INFERRED, NATIVE

SUBJECT = ("aggregate", "subject")
SPOT = "spot"
"""A hash of the subject. Rows are sorted by it first: numbers compare faster than texts."""
SAYS, WHOLE = "says", "whole"
"""A hash of what the candidate says and who says it, and one of all its columns."""
DATA, TELLER = "data_hash", "source_hash"
"""Hashes of the payload and of the source: whether two events differ in them."""
RULE = "rule"
"""The rule that decided; null as long as none has."""
LATE, FACT, RANK, PLACED_AT = "late", "fact", "rank", "placed_at"
WITHIN_SUBJECT = (SPOT, *SUBJECT)
TIES = (SAYS, WHOLE)
"""What is looked at last, so that rows which differ never change places between two runs."""
LOOKED_AT = (
    *SUBJECT,
    *("id", "type", "time", "sequence", "migorigin", "migconfidence", "migtimebasis"),
    *("migsrcsystem", "migsrcpos"),
)
"""The columns of a candidate that rules about several events look at by themselves."""
CARRIED = "carried"
"""All others, in one: moved as a whole from look to look."""
_SAID = (
    *("data", "type", "migfactkey", "source", "migtranslator", "migtranslatorver"),
    *("migsrcsystem", "migsrcpos", "migsrckey"),
)
PLACE = (PLACED_AT, RANK, "sequence", "id", *TIES)
"""What the accepted events of a subject are ordered by."""


def packed(candidates: DataFrame, *more: str) -> DataFrame:
    """The candidates as the rules about several events look at them, with the columns `more`.

    Rows are copied at each look, and every text costs: what is only compared is a number.
    """
    others = [name for name in candidates.columns if name not in (*LOOKED_AT, *more)]
    every = [F.col(f"`{name}`") for name in candidates.columns if name not in more]
    return candidates.select(
        *LOOKED_AT,
        *more,
        F.coalesce("migfactkey", "id").alias(FACT),
        F.xxhash64("data").alias(DATA),
        F.xxhash64("source").alias(TELLER),
        F.xxhash64(*SUBJECT).alias(SPOT),
        _told_apart([F.col(name) for name in _SAID]).alias(SAYS),
        _told_apart(every).alias(WHOLE),
        F.struct(*others).alias(CARRIED),
    )


def _told_apart(columns: list[Column]) -> Column:
    """A hash of columns that says which of them are null: Spark's own passes over nulls."""
    return F.xxhash64(*columns, *(column.isNull() for column in columns))


def unpacked(name: str) -> Column:
    """A candidate's column, where the candidates are packed."""
    return F.col(name if name in LOOKED_AT else f"{CARRIED}.`{name}`")


def of_subject(*more: str) -> WindowSpec:
    """The rows of a subject, or those of them that have the columns `more` in common."""
    return Window.partitionBy(*WITHIN_SUBJECT, *more)


def whole(window: WindowSpec) -> WindowSpec:
    """All rows of a window, whatever its order."""
    return window.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)


def so_far(window: WindowSpec) -> WindowSpec:
    """The rows of an ordered window up to the current one."""
    return window.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def is_open() -> Column:
    """Whether no rule has decided yet."""
    return F.col(RULE).isNull()


def decided(rule: str, holds: Column) -> Column:
    """The rule column after one more rule was asked."""
    asked = F.col(RULE).isNull() & F.coalesce(holds, F.lit(False))
    return F.when(asked, F.lit(rule)).otherwise(F.col(RULE))


def is_native() -> Column:
    return F.col("migorigin") == NATIVE


def time_is_known() -> Column:
    return (F.col("migtimebasis") == EFFECTIVE) & F.col("time").isNotNull()


def certainty() -> Column:
    """0 for exact, 1 for inferred, 2 for approximate."""
    told = F.col("migconfidence")
    return F.when(told == EXACT, 0).when(told == INFERRED, 1).otherwise(2)


def is_a(event: type[Event]) -> Column:
    return F.col("type") == event.event_type()


def is_of(aggregate: Aggregate, event: type[Event]) -> Column:
    """Whether the row is an event of that type, told of the aggregate that it belongs to."""
    return (F.col("aggregate") == aggregate.name) & is_a(event)
