"""Where events are placed in time, and when the first of each type comes to a subject.

An event whose business time is unknown is placed by the declared order alone: before everything
that the aggregate lists after it; where nothing follows, at the time it is known at the latest. For
what a snapshot shows that is its extract's, but no later than just before the first change that its
source committed after it: positions say so, whatever the clocks say.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Context
from cutline.engine.merge.columns import PLACED_AT, RANK, is_of, is_open, of_subject, time_is_known
from cutline.tables.event import COMMIT, EXTRACT

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
    unknown = {r: f"unknown_{r}" for r in wanted}
    frame = frame.withColumn(_LATEST, F.coalesce("time", F.lit(_FAR)))
    frame = frame.withColumn(_LATEST, F.least(_LATEST, _before_the_first_change()))
    time = F.col(_LATEST)
    seen = {known[r]: _earliest(r, time_is_known(), F.col("time")) for r in ranks}
    seen |= {unknown[r]: _earliest(r, ~time_is_known(), time) for r in wanted}
    frame = frame.withColumns(seen)

    def follower(rank: int) -> Column:
        later = [F.col(known[r]) for r in ranks if r > rank]
        return _least([*later, F.lit(_FAR)])

    follows = F.lit(_FAR)
    for rank in ranks:
        follows = F.when(F.col(RANK) == rank, follower(rank)).otherwise(follows)
    moment = F.when(time_is_known(), F.col("time")).otherwise(F.least(time, follows))
    firsts = {
        _first(r): F.least(
            known[r], F.when(F.col(unknown[r]).isNotNull(), F.least(unknown[r], follower(r)))
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


def _before_the_first_change() -> Column:
    """For what a snapshot shows, a microsecond before the first change committed after it."""
    place = (F.col("migsrcsystem"), F.col("migsrcpos"))
    committed = is_open() & (F.col("migtimebasis") == COMMIT) & F.col("time").isNotNull()
    first = F.min(F.when(committed, F.struct("time", *place))).over(of_subject())
    earlier = (place[0] == first["migsrcsystem"]) & (place[1] < first["migsrcpos"])
    shown = F.col("migtimebasis") == EXTRACT
    return F.when(shown & earlier, first["time"] - F.expr("INTERVAL 1 MICROSECOND"))


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
