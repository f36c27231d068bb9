"""Columns that the rules share while an event has no end yet."""

from __future__ import annotations

from pyspark.sql import Column, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event
from cutline.tables.event import EFFECTIVE, EXACT, INFERRED, NATIVE

SUBJECT = ("aggregate", "subject")
SPOT = "spot"
"""A hash of the subject. Rows are sorted by it first: numbers compare faster than texts."""
WHOLE = "whole"
"""A hash of all that the candidate says: rows that differ in nothing else never change places."""
RULE = "rule"
"""The rule that decided; null as long as none has."""
LATE, FACT, RANK, PLACED_AT = "late", "fact", "rank", "placed_at"
WITHIN_SUBJECT = (SPOT, *SUBJECT)
TIES = (
    "data",
    "type",
    "migfactkey",
    "source",
    "migtranslator",
    "migtranslatorver",
    "migsrcsystem",
    "migsrcpos",
    "migsrckey",
    WHOLE,
)
"""What is looked at last, so that rows which differ never change places between two runs."""
LOOKED_AT = (
    *SUBJECT,
    *TIES,
    *("id", "time", "sequence", "side"),
    *("migorigin", "migconfidence", "migtimebasis", "migregion", "migsupersedes"),
)
"""The columns of a candidate that a rule may look at."""
CARRIED = "carried"
"""All others, in one: moved as a whole from look to look."""
PLACE = (PLACED_AT, RANK, "sequence", "id", *TIES)
"""What the accepted events of a subject are ordered by."""


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
