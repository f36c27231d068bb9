"""Ids that were given away: the final names of a row, and of the history of a subject.

An id may be given away, or die, and be used again. So it names one row from a birth, or from the
arrival of a row, until that row leaves it or dies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import FrameColumn, step
from cutline.engine.restore.frames import (
    ARRIVAL,
    ARRIVALS,
    DEPARTURE,
    DEPARTURES,
    ID_HISTORY,
    IDS,
    KEY_CHANGES,
)


@step(needs=KEY_CHANGES, returns=ID_HISTORY)
def trace_ids(moves: DataFrame, *, splits: bool) -> DataFrame:
    """What became of each id: one row per time that it was given away, one per arrival at it.

    `moves` are KEY_CHANGES. A birth that a snapshot shows says nothing new of an id that some row
    has already. With `splits` no history goes on under another id.

    A departure has `kept` and `subject` if the history goes on under the new id. It does not if
    another history has ended under that id: two histories never share one. Then the arrival has
    `left`, the history that ends by it: that of the row which arrives, under its old id.

    One Python task follows the ids: it gets changes of keys, and births under such keys, alone.
    """

    def ends(table: pa.Table) -> pa.Table:
        return _trace(splits, table)

    # What was delivered again is no second move.
    return moves.distinct().groupBy().applyInArrow(ends, ID_HISTORY.ddl)


@step(needs=ID_HISTORY, returns=IDS)
def group_by_id(id_rows: DataFrame) -> DataFrame:
    """One row per id of `trace_ids`, with its departures and arrivals."""
    return id_rows.groupBy("id").agg(
        _sorted_structs(DEPARTURE).alias(DEPARTURES), _sorted_structs(ARRIVAL).alias(ARRIVALS)
    )


def departure_after(position: Column) -> Column:
    """The departure of the row that had the id at a position; null if it never gave the id away."""
    departures, arrivals = F.col(DEPARTURES), F.col(ARRIVALS)
    departure = F.get(
        F.filter(departures, lambda departure: departure.getField("until") >= position), F.lit(0)
    )
    until = departure.getField("until")

    def between(arrival: Column) -> Column:
        return (arrival.getField("at") > position) & (arrival.getField("at") < until)

    # A row that came to the id in between is the one that gave it away.
    return F.when(~F.exists(arrivals, between), departure)


def arrival_before(position: Column) -> Column:
    """The last arrival at the id that is not after a position; null if there is none."""
    earlier = F.filter(F.col(ARRIVALS), lambda arrival: arrival.getField("at") <= position)
    return F.element_at(F.when(F.size(earlier) > 0, earlier), -1)


def _sorted_structs(names: tuple[FrameColumn, ...]) -> Column:
    is_present = F.col(names[0]).isNotNull()
    return F.sort_array(F.collect_list(F.when(is_present, F.struct(*names))))


@dataclass
class _IdChain:
    """Ids that mean one thing, one after the other: each with the position at which it was left."""

    left: list[dict[str, Any]] = field(default_factory=list)
    final: tuple[str, str, str | None] | None = None


@dataclass
class _IdHolder:
    """What has an id now: its row's chain, its history's, and when it came to the id."""

    row: _IdChain = field(default_factory=_IdChain)
    history: _IdChain = field(default_factory=_IdChain)
    since: str | None = None


def _trace(splits: bool, moves: pa.Table) -> pa.Table:
    """As `trace_ids`. The row `a` becomes `b`, and later the row `c` becomes `b` as well:

    >>> names = ("old", "new", "position", "old_subject", "new_subject", "shown")
    >>> moves = [("a", "b", "10", "A", "B", False), ("c", "b", "20", "C", "B", False)]
    >>> table = pa.Table.from_pylist([dict(zip(names, move)) for move in moves])
    >>> for row in _trace(False, table).to_pylist():
    ...     print({name: value for name, value in row.items() if value})
    {'id': 'b', 'at': '10'}
    {'id': 'a', 'until': '10', 'row': 'b@10', 'kept': 'b@10', 'subject': 'B', 'old_subject': 'A'}
    {'id': 'b', 'at': '20', 'left': 'c'}
    {'id': 'c', 'until': '20', 'row': 'b@20', 'old_subject': 'C'}
    """
    holders: dict[str, _IdHolder] = {}
    seen_ids: set[str | None] = set()
    ended_ids: set[str] = set()
    id_rows: list[dict[str, Any]] = []
    chains: list[tuple[str, _IdChain]] = []
    # A row that is read where its key was given away stands behind that: `shown` comes last.
    order = [(name, "ascending") for name in ("position", "new", "shown", "old")]
    for move in moves.sort_by(order).to_pylist():
        old, new, at = move["old"], move["new"], move["position"]
        first = new not in seen_ids
        seen_ids |= {old, new}
        if move["shown"] and (first or new in holders):
            # The row had the id already, since an unknown position.
            holders.setdefault(new, _IdHolder())
            continue
        arrival = {"id": new, "at": at, "left": None}
        id_rows.append(arrival)
        ended = holders.pop(new, None) is not None
        if ended:
            ended_ids.add(new)
        if old is None:
            holders[new] = _IdHolder(since=at)
            continue
        holder = holders.pop(old, None) or _IdHolder()
        step = {"id": old, "until": at, "old_subject": move["old_subject"]}
        id_rows.append(step)
        if holder.row.final is None:
            chains.append(("row", holder.row))
        holder.row.left.append(step)
        holder.row.final = (new, at, None)
        if splits or new in ended_ids:
            arrival["left"] = _text(old, holder.since)
            ended_ids.add(old)
            holder.history = _IdChain()
        else:
            if holder.history.final is None:
                chains.append(("kept", holder.history))
            holder.history.left.append(step)
            holder.history.final = (new, at, move["new_subject"])
        holders[new] = _IdHolder(holder.row, holder.history, at)
    for name, chain in chains:
        assert chain.final is not None
        for step in chain.left:
            step[name] = _text(chain.final[0], chain.final[1])
            if name == "kept":
                step["subject"] = chain.final[2]
    return pa.table(
        {n: pa.array([row.get(n) for row in id_rows], pa.string()) for n in ID_HISTORY.names}
    )


def _text(id: str, since: str | None) -> str:
    return id if since is None else f"{id}@{since}"
