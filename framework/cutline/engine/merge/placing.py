"""Where events are placed in time, and when the first of each type comes to a subject.

What has no business time is placed by what is known of it. What a snapshot shows happened at the
latest at the time that it has: it is placed before everything that the aggregate lists after it,
whatever that knows of its own time. What a change brought happened by its commit: the log orders it
among other changes, so it goes before a follower only where that has a business time. A snapshot's
lies, besides, before the first change that its source committed after it: positions say so,
whatever the clocks say.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context
from cutline.engine.merge.columns import (
    PLACED_AT,
    RANK,
    is_of,
    is_open,
    of_subject,
    time_is_known,
    unpacked,
)
from cutline.tables.event import COMMIT

_FAR = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
"""Stands for a time that nobody knows, of an event that nothing follows: it comes last."""

_LATEST = "latest_time"
"""When an event happened at the latest, where its time is not known."""


def first_of(rank: int) -> Column:
    """When the first open event of a rank is placed in the row's subject; null if none is."""
    return F.col(_first(rank))


def placed(frame: DataFrame, context: Context, asked: Iterable[int]) -> DataFrame:
    """Adds `rank`, `placed_at`, and for each rank in `asked` what `first_of` reads.

    One look at the whole subject: how often an event came does not matter for it.
    """
    frame = frame.withColumn(RANK, _rank(context))
    ranks = range(1, max(len(a.events) for a in context.aggregates) + 1)
    wanted = sorted(set(asked))
    known = {r: f"known_{r}" for r in ranks}
    latest = {r: f"latest_{r}" for r in ranks}
    committed = {r: f"committed_{r}" for r in wanted}
    shown = {r: f"shown_{r}" for r in wanted}
    frame = frame.withColumn(_LATEST, F.coalesce("time", F.lit(_FAR)))
    frame = frame.withColumn(_LATEST, F.least(_LATEST, _before_the_first_change()))
    time = F.col(_LATEST)
    seen = {known[r]: _earliest(r, time_is_known(), F.col("time")) for r in ranks}
    seen |= {latest[r]: _earliest(r, F.lit(True), time) for r in ranks}
    seen |= {committed[r]: _earliest(r, ~time_is_known() & ~is_shown(), time) for r in wanted}
    seen |= {shown[r]: _earliest(r, is_shown(), time) for r in wanted}
    frame = frame.withColumns(seen)

    def follower(rank: int, times: Mapping[int, str]) -> Column:
        return _least([*(F.col(times[r]) for r in ranks if r > rank), F.lit(_FAR)])

    def of_rank(times: Mapping[int, str]) -> Column:
        follows = F.lit(_FAR)
        for rank in ranks:
            follows = F.when(F.col(RANK) == rank, follower(rank, times)).otherwise(follows)
        return follows

    moment = (
        F.when(time_is_known(), F.col("time"))
        .when(is_shown(), F.least(time, of_rank(latest)))
        .otherwise(F.least(time, of_rank(known)))
    )

    def before_followers(name: str, rank: int, times: Mapping[int, str]) -> Column:
        return F.when(F.col(name).isNotNull(), F.least(name, follower(rank, times)))

    firsts = {
        _first(r): F.least(
            known[r],
            before_followers(committed[r], r, known),
            before_followers(shown[r], r, latest),
        )
        for r in wanted
    }
    return frame.withColumns({PLACED_AT: moment, **firsts}).drop(_LATEST, *seen)


def placed_again(frame: DataFrame, ranks: Iterable[int]) -> DataFrame:
    """Looks once more for the first open events of some ranks, after others were held."""
    wanted = sorted(set(ranks))
    if not wanted:
        return frame
    found = {f"new_{r}": _earliest(r, F.lit(True), F.col(PLACED_AT)) for r in wanted}
    frame = frame.withColumns(found).drop(*(_first(r) for r in wanted))
    return frame.withColumnsRenamed({f"new_{r}": _first(r) for r in wanted})


def forgotten(frame: DataFrame, ranks: Iterable[int]) -> DataFrame:
    """Without what `first_of` reads."""
    return frame.drop(*(_first(r) for r in ranks))


def is_shown() -> Column:
    """Whether an event has no business time, and no commit of its own: a snapshot shows it."""
    return ~time_is_known() & unpacked("migsrctime").isNull()


def _before_the_first_change() -> Column:
    """For what a snapshot shows, a microsecond before the first change committed after it."""
    place = (F.col("migsrcsystem"), F.col("migsrcpos"))
    of_change = (F.col("migtimebasis") == COMMIT) & unpacked("migsrctime").isNotNull()
    committed = is_open() & of_change & F.col("time").isNotNull()
    first = F.min(F.when(committed, F.struct("time", *place))).over(of_subject())
    earlier = (place[0] == first["migsrcsystem"]) & (place[1] < first["migsrcpos"])
    return F.when(is_shown() & earlier, first["time"] - F.expr("INTERVAL 1 MICROSECOND"))


def _earliest(rank: int, which: Column, at: Column) -> Column:
    mine = is_open() & (F.col(RANK) == rank) & which
    return F.min(F.when(mine, at)).over(of_subject())


def _least(columns: list[Column]) -> Column:
    return columns[0] if len(columns) == 1 else F.least(*columns)


def _rank(context: Context) -> Column:
    rank = F.lit(0)
    for aggregate in context.aggregates:
        for event in aggregate.events:
            rank = F.when(is_of(aggregate, event), aggregate.rank(event)).otherwise(rank)
    return rank


def _first(rank: int) -> str:
    return f"first_{rank}"
