"""Candidates while the merge rules are asked: packed, in windows, and predicates on them.

A candidate is open as long as RULE is null: no merge rule has decided about it yet.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event
from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.merge.frames import (
    CANDIDATES,
    COMPARED,
    CONTENT_HASH,
    FACT,
    PACKED,
    PACKED_CANDIDATES,
    PAYLOAD_HASH,
    ROW_HASH,
    RULE,
    SOURCE_HASH,
    SUBJECT_HASH,
    SUBJECT_KEY,
)
from cutline.tables.event import EFFECTIVE, EXACT, INFERRED, NATIVE

_CONTENT = (
    *("data", "type", "migfactkey", "source", "migtranslator", "migtranslatorver"),
    *("migsrcsystem", "migsrcpos", "migsrckey"),
)


def _packed_candidates(unpacked: tuple[FrameColumn, ...]) -> Frame:
    return PACKED_CANDIDATES.with_columns(*unpacked)


@step(needs=CANDIDATES, returns=_packed_candidates)
def pack_candidates(candidates: DataFrame, *unpacked: FrameColumn) -> DataFrame:
    """The candidates in the form that the rules about several events work on.

    COMPARED and the columns `unpacked` stay as they are, all others move into PACKED. What is
    only compared for equality becomes a hash, because a window copies its rows.
    """
    rest = [name for name in candidates.columns if name not in (*COMPARED, *unpacked)]
    all_columns = [F.col(f"`{name}`") for name in candidates.columns if name not in unpacked]
    return candidates.select(
        *COMPARED,
        *unpacked,
        F.coalesce("migfactkey", "id").alias(FACT),
        F.xxhash64("data").alias(PAYLOAD_HASH),
        F.xxhash64("source").alias(SOURCE_HASH),
        F.xxhash64(*SUBJECT_KEY).alias(SUBJECT_HASH),
        _hash_with_nulls([F.col(name) for name in _CONTENT]).alias(CONTENT_HASH),
        _hash_with_nulls(all_columns).alias(ROW_HASH),
        F.struct(*rest).alias(PACKED),
    )


def _hash_with_nulls(columns: list[Column]) -> Column:
    """A hash that depends on which columns are null: Spark's own passes over nulls."""
    return F.xxhash64(*columns, *(column.isNull() for column in columns))


def event_column(name: str) -> Column:
    """A column of EVENTS, from packed candidates."""
    return F.col(name if name in COMPARED else f"{PACKED}.`{name}`")


def subject_window(*more: str) -> WindowSpec:
    """The rows of a subject, or those of them that have the columns `more` in common."""
    return Window.partitionBy(SUBJECT_HASH, *SUBJECT_KEY, *more)


def whole_window(window: WindowSpec) -> WindowSpec:
    """All rows of a window, whatever its order."""
    return window.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)


def running_window(window: WindowSpec) -> WindowSpec:
    """The rows of an ordered window up to the current one."""
    return window.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def is_open() -> Column:
    """Whether no merge rule has decided about the candidate yet."""
    return F.col(RULE).isNull()


def decide_open(rule: str, condition: Column) -> Column:
    """RULE after one more rule: `rule` where the candidate is open and the condition holds."""
    applies = is_open() & F.coalesce(condition, F.lit(False))
    return F.when(applies, F.lit(rule)).otherwise(F.col(RULE))


def is_native() -> Column:
    """Whether a live producer published the event."""
    return F.col("migorigin") == NATIVE


def time_is_known() -> Column:
    """Whether the event has a business time."""
    return (F.col("migtimebasis") == EFFECTIVE) & F.col("time").isNotNull()


def confidence_rank() -> Column:
    """0 for exact, 1 for inferred, 2 for approximate."""
    confidence = F.col("migconfidence")
    return F.when(confidence == EXACT, 0).when(confidence == INFERRED, 1).otherwise(2)


def is_event_of(aggregate: Aggregate, event: type[Event]) -> Column:
    """Whether the row is an event of that type, of a subject of that aggregate."""
    return (F.col("aggregate") == aggregate.name) & (F.col("type") == event.event_type())
