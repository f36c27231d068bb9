"""The instant of a local time: none in the gap of summer time, two where clocks show it twice.

Spark's `to_utc_timestamp` moves a time in the gap, and takes the first of two instants.
"""

from __future__ import annotations

from typing import Literal

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.sql.spark import let, literal

RepeatedTime = Literal["first", "second"]
"""Which instant is meant by a local time that clocks show twice."""

_DAY = 86_400 * 10**6
_FARTHEST = 9 * 10**18
"""Microseconds, some 285,000 years: beyond them there is no room to count a day more."""


def instant_sql(local: str, zone: str, doubled: RepeatedTime | None = None) -> str:
    """SQL for the instant at which clocks in `zone` show the timestamp `local`, also SQL.

    Null for a time in a gap or out of range; and, unless `doubled` chooses an instant, for a time
    that clocks show twice. The session must be in UTC.
    """
    return f"get(transform(array({local}), {_instant(zone, doubled)}), 0)"


def instant(local: Column, zone: str, doubled: RepeatedTime | None = None) -> Column:
    """`instant_sql` for a column."""
    step = F.expr(_instant(zone, doubled))
    return F.get(F.call_function("transform", F.array(local), step), F.lit(0))


def _instant(zone: str, doubled: RepeatedTime | None) -> str:
    """SQL for a function from a local time to its instant.

    Clocks change at most once in two days, so the offset is that of the day before or that of the
    day after; where both are equal, that one. Otherwise an offset is right if clocks show the time
    at the instant that it gives.
    """
    clock = "unix_micros(l)"
    before, after = (_offset(f"({clock} + {shift})", zone) for shift in (-_DAY, _DAY))
    offsets = f"named_struct('c', {clock}, 'a', {before}, 'b', {after})"
    first, second = "(o.c - o.a)", "(o.c - o.b)"
    shown_first, shown_second = (f"{at} + {_offset(at, zone)} = o.c" for at in (first, second))
    twice = {None: "NULL", "first": first, "second": second}[doubled]
    micros = (
        f"CASE WHEN o.a = o.b THEN {first}"
        f" WHEN {shown_first} AND {shown_second} THEN {twice}"
        f" WHEN {shown_first} THEN {first} WHEN {shown_second} THEN {second} END"
    )
    at = let("o", offsets, f"timestamp_micros({micros})")
    return f"l -> CASE WHEN {clock} BETWEEN {-_FARTHEST} AND {_FARTHEST} THEN {at} END"


def _offset(at: str, zone: str) -> str:
    """SQL for how many microseconds clocks in the zone are ahead of UTC at an instant."""
    shown = f"from_utc_timestamp(timestamp_micros({at}), {literal(zone)})"
    return f"unix_micros({shown}) - {at}"
