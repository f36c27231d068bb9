"""Which true events the rows that are left still show: read off the rows, by no translator."""

from __future__ import annotations

from collections.abc import Iterable

from support.scored.fines.derive import DATE, STATUS
from support.scored.fines.truth import PAYMENT
from support.scored.images import Row
from support.scored.truth import TrueEvent

LASTING = frozenset({*DATE, PAYMENT})
"""The activities of which evidence stays: a date of its own, or a row of its own."""


def derivable(
    events: Iterable[TrueEvent], fines: Iterable[Row], payments: Iterable[Row]
) -> list[TrueEvent]:
    """The events whose date, whose payment, or whose status with its date is there."""
    rows = {str(row["fine_no"]): row for row in fines}
    paid = {row["payment_no"] for row in payments}
    return [event for event in events if _shown(event, rows.get(event.case), paid)]


def _shown(event: TrueEvent, row: Row | None, paid: set[object]) -> bool:
    if event.activity == PAYMENT:
        return event.payload["payment_no"] in paid
    if row is None:
        return False
    if event.activity in DATE:
        return row.get(DATE[event.activity]) == event.time.date()
    return (row["status"], row["status_on"]) == (STATUS[event.activity], event.time.date())
