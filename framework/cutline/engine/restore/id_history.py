"""Ids that were given away: what a row, and the history of a subject, is called in the end.

An id may be given away, or die, and be used again. So it means one thing from a birth, or from when
something got it, up to when that got another id or died.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_ID_ROWS = (
    "id string, until string, row string, kept string, subject string, old_subject string,"
    " at string, left string"
)
_STEP = ("until", "row", "kept", "subject")
_ARRIVAL = ("at", "left")


def trace_ids(moves: DataFrame, *, splits: bool) -> DataFrame:
    """What became of each id: a row per time that it was given away, and one per arrival at it.

    `moves` has one row per change of a key (`old`, `new`, `position`, `old_subject`,
    `new_subject`), and one per birth under such a key, which has no `old`. `shown` is a birth that
    a snapshot tells: of what is there already it tells nothing new. With `splits`, no history goes
    on under another id.

    Where `id` was given away: `until`, the position of it; `row`, one text for all changes of the
    row that had it; and where a history goes on by it, `kept`, one text for all changes of that
    history, `subject`, its subject in the end, and `old_subject`. It goes on unless another history
    ended under the new id: two are never told by one id. Where something got `id`: `at`, the
    position, and `left`, one text for the history that ended by it, if one did.

    Followed in one Python task: it sees changes of keys, and births under such keys, alone.
    """

    def ends(table: pa.Table) -> pa.Table:
        return _trace(splits, table)

    # What was delivered again is no second move.
    return moves.distinct().groupBy().applyInArrow(ends, _ID_ROWS)


def group_by_id(id_rows: DataFrame) -> DataFrame:
    """One row per id of `trace_ids`: `id`, `steps` and `arrivals`, sorted by position."""
    return id_rows.groupBy("id").agg(
        _sorted_structs(_STEP).alias("steps"), _sorted_structs(_ARRIVAL).alias("arrivals")
    )


def departure_after(steps: Column, arrivals: Column, position: Column) -> Column:
    """The step by which what had the id at that position gave it away; null if it never did."""
    departure = F.get(F.filter(steps, lambda step: step.getField("until") >= position), F.lit(0))
    until = departure.getField("until")

    def between(arrival: Column) -> Column:
        return (arrival.getField("at") > position) & (arrival.getField("at") < until)

    # Who came to the id in between is who gave it away.
    return F.when(~F.exists(arrivals, between), departure)


def arrival_before(arrivals: Column, position: Column) -> Column:
    """The last arrival at the id that is not after a position; null if there is none."""
    earlier = F.filter(arrivals, lambda one: one.getField("at") <= position)
    return F.element_at(F.when(F.size(earlier) > 0, earlier), -1)


def _sorted_structs(names: tuple[str, ...]) -> Column:
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
            # It was there before, nobody knows since when.
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
    names = [declared.split()[0] for declared in _ID_ROWS.split(", ")]
    return pa.table({n: pa.array([one.get(n) for one in id_rows], pa.string()) for n in names})


def _text(id: str, since: str | None) -> str:
    return id if since is None else f"{id}@{since}"
