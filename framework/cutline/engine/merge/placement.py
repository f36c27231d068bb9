"""Placement: the moment of each event in the timeline, and of the first of each type.

An event with a business time is placed at it. Of the others only a latest moment is known, and the
order that the aggregate declares moves them before what must follow them:

- A snapshot shows what happened at the latest at the event's time. It is placed before all events
  that the aggregate lists after it, whatever is known of their times; and before the first change
  that its source committed after it, because positions say so whatever the clocks say.
- A change happened by its commit. The log orders it among other changes, so it is placed before a
  following event only where that has a business time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context
from cutline.engine.frames import FrameColumn, step
from cutline.engine.merge.columns import (
    event_column,
    is_event_of,
    is_open,
    subject_window,
    time_is_known,
)
from cutline.engine.merge.frames import CANDIDATES_WITH_RULE, FIRST_PLACED, PLACED_AT, RANK
from cutline.tables.event import COMMIT

_END_OF_TIME = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
"""The latest moment of an event without any time that no event must follow."""

_LATEST_MOMENT = "latest_moment"
"""The moment by which an event has happened: its time, if that is known, else a bound of it."""

_FIRSTS_TIMED, _FIRSTS_OF_ALL = "firsts_timed", "firsts_of_all"
"""Arrays by rank: one expression over all ranks, and not one more for each of them."""


def first_placed(rank: int) -> Column:
    """The moment of the subject's first open event of a rank; null if there is none.

    `with_placement` adds the column for the ranks that it is given.
    """
    return F.col(_first_name(rank))


def _placement_columns(ranks_to_find: Iterable[int]) -> tuple[FrameColumn, ...]:
    return (RANK, PLACED_AT, *(FIRST_PLACED.of(str(rank)) for rank in sorted(set(ranks_to_find))))


@step(needs=CANDIDATES_WITH_RULE, adds=_placement_columns)
def with_placement(
    candidates: DataFrame, context: Context, ranks_to_find: Iterable[int]
) -> DataFrame:
    """The candidates with RANK, PLACED_AT, and `first_placed` of each rank to find.

    One window over the whole subject, without an order: how often an event came does not matter.
    """
    candidates = candidates.withColumn(RANK, _rank(context))
    ranks = range(1, max(len(a.events) for a in context.aggregates) + 1)
    wanted = sorted(set(ranks_to_find))
    # Columns with the earliest moment of a rank: the business time of its events that have one; the
    # latest moment of all its events, of changes without a business time, and of a snapshot's.
    first_timed = {rank: f"first_timed_{rank}" for rank in ranks}
    first_of_all = {rank: f"first_of_all_{rank}" for rank in ranks}
    first_untimed_change = {rank: f"first_untimed_change_{rank}" for rank in wanted}
    first_from_snapshot = {rank: f"first_from_snapshot_{rank}" for rank in wanted}
    candidates = candidates.withColumn(_LATEST_MOMENT, F.coalesce("time", F.lit(_END_OF_TIME)))
    candidates = candidates.withColumn(
        _LATEST_MOMENT, F.least(_LATEST_MOMENT, _before_first_later_change())
    )
    latest_moment = F.col(_LATEST_MOMENT)
    untimed_change = ~time_is_known() & ~is_from_snapshot()
    earliest = {first_timed[r]: _earliest(r, time_is_known(), F.col("time")) for r in ranks}
    earliest |= {first_of_all[r]: _earliest(r, F.lit(True), latest_moment) for r in ranks}
    earliest |= {
        first_untimed_change[r]: _earliest(r, untimed_change, latest_moment) for r in wanted
    }
    earliest |= {
        first_from_snapshot[r]: _earliest(r, is_from_snapshot(), latest_moment) for r in wanted
    }
    candidates = candidates.withColumns(earliest).withColumns(
        {
            _FIRSTS_TIMED: F.array(*(F.col(first_timed[r]) for r in ranks)),
            _FIRSTS_OF_ALL: F.array(*(F.col(first_of_all[r]) for r in ranks)),
        }
    )
    placed_at = (
        F.when(time_is_known(), F.col("time"))
        .when(
            is_from_snapshot(),
            F.least(latest_moment, _earliest_follower(_FIRSTS_OF_ALL, F.col(RANK))),
        )
        .otherwise(F.least(latest_moment, _earliest_follower(_FIRSTS_TIMED, F.col(RANK))))
    )

    def before_follower(name: str, rank: int, firsts: str) -> Column:
        follower = _earliest_follower(firsts, F.lit(rank))
        return F.when(F.col(name).isNotNull(), F.least(name, follower))

    firsts = {
        _first_name(rank): F.least(
            first_timed[rank],
            before_follower(first_untimed_change[rank], rank, _FIRSTS_TIMED),
            before_follower(first_from_snapshot[rank], rank, _FIRSTS_OF_ALL),
        )
        for rank in wanted
    }
    return candidates.withColumns({PLACED_AT: placed_at, **firsts}).drop(
        _LATEST_MOMENT, _FIRSTS_TIMED, _FIRSTS_OF_ALL, *earliest
    )


@step(needs=CANDIDATES_WITH_RULE.with_columns(PLACED_AT, RANK))
def refresh_first_placed(candidates: DataFrame, ranks: Iterable[int]) -> DataFrame:
    """The candidates with `first_placed` of some ranks anew, after events of them were held."""
    wanted = sorted(set(ranks))
    if not wanted:
        return candidates
    firsts = {f"new_{rank}": _earliest(rank, F.lit(True), F.col(PLACED_AT)) for rank in wanted}
    candidates = candidates.withColumns(firsts).drop(*(_first_name(rank) for rank in wanted))
    return candidates.withColumnsRenamed({f"new_{rank}": _first_name(rank) for rank in wanted})


def _first_names(ranks: Iterable[int]) -> tuple[str, ...]:
    return tuple(_first_name(rank) for rank in ranks)


@step(needs=CANDIDATES_WITH_RULE, drops=_first_names)
def drop_first_placed(candidates: DataFrame, ranks: Iterable[int]) -> DataFrame:
    """The candidates without the columns of `first_placed`."""
    return candidates.drop(*_first_names(ranks))


def is_from_snapshot() -> Column:
    """Whether a snapshot shows the event: it has neither a business time nor a commit."""
    return ~time_is_known() & event_column("migsrctime").isNull()


def _before_first_later_change() -> Column:
    """For what a snapshot shows, a microsecond before the first change after it; else null."""
    system, position = F.col("migsrcsystem"), F.col("migsrcpos")
    of_change = (F.col("migtimebasis") == COMMIT) & event_column("migsrctime").isNotNull()
    committed = is_open() & of_change & F.col("time").isNotNull()
    first = F.min(F.when(committed, F.struct("time", system, position))).over(subject_window())
    later = (system == first["migsrcsystem"]) & (position < first["migsrcpos"])
    return F.when(is_from_snapshot() & later, first["time"] - F.expr("INTERVAL 1 MICROSECOND"))


def _earliest(rank: int, condition: Column, moment: Column) -> Column:
    """The earliest moment among the subject's open events of a rank for which a condition holds."""
    counts = is_open() & (F.col(RANK) == rank) & condition
    return F.min(F.when(counts, moment)).over(subject_window())


def _earliest_follower(firsts: str, rank: Column) -> Column:
    """The earliest of the moments of the ranks after a rank.

    `firsts` is an array of moments by rank. The end of time where nothing follows, or where the
    rank is 0, of a foreign event.
    """
    following = F.array_min(F.slice(firsts, rank + 1, F.size(firsts)))
    end = F.lit(_END_OF_TIME)
    return F.when(rank > 0, F.least(following, end)).otherwise(end)


def _rank(context: Context) -> Column:
    """The event's place in its aggregate's declared order, from 1; 0 for a foreign event."""
    rank = F.lit(0)
    for aggregate in context.aggregates:
        for event in aggregate.events:
            rank = F.when(is_event_of(aggregate, event), aggregate.rank(event)).otherwise(rank)
    return rank


def _first_name(rank: int) -> str:
    return FIRST_PLACED.of(str(rank))
