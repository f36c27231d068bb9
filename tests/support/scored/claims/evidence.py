"""Which true events the rows that are left still show: read off the rows, by no translator."""

from __future__ import annotations

from collections.abc import Iterable

from support.scored.claims.derive import ADVISED, STATUS, TIME
from support.scored.images import Row
from support.scored.truth import TrueEvent

LASTING = frozenset({*TIME, ADVISED})
"""The activities of which evidence stays: a time of its own, or a mark."""


def derivable(events: Iterable[TrueEvent], claims: Iterable[Row]) -> list[TrueEvent]:
    """The events whose time, whose mark, or whose status with its time is there."""
    rows = {str(row["claim_no"]): row for row in claims}
    return [event for event in events if _shown(event, rows.get(event.case))]


def without_time(events: Iterable[TrueEvent], claims: Iterable[Row]) -> list[TrueEvent]:
    """Those of the derivable that the rows show, but not when: marks of earlier steps."""
    rows = {str(row["claim_no"]): row for row in claims}
    marked = (e for e in derivable(events, claims) if e.activity == ADVISED)
    return [event for event in marked if not _is_last(event, rows[event.case])]


def _shown(event: TrueEvent, row: Row | None) -> bool:
    if row is None:
        return False
    if event.activity in TIME:
        return row.get(TIME[event.activity]) == event.time
    if event.activity == ADVISED and row["advised"]:
        return True
    return _is_last(event, row)


def _is_last(event: TrueEvent, row: Row) -> bool:
    return (row["status"], row["status_at"]) == (STATUS[event.activity], event.time)
