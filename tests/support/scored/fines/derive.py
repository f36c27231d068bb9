"""What a core system would keep of a fine: one row that each step overwrites, and its payments.

The row has a date for the steps that it was built for. Of the others, and of payments, it knows
only its `status` and since when; the next step overwrites both. The amount is the amount now, the
dismissal the last that anybody said. Payments are rows of a table of their own, with the amount as
the till's interface delivers it: without its decimal point.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from support.scored.fines.truth import PAYMENT
from support.scored.images import Image
from support.scored.truth import TrueEvent

STATUS = {
    "Create Fine": "E",
    "Send Fine": "S",
    "Insert Fine Notification": "N",
    "Add penalty": "A",
    "Payment": "P",
    "Insert Date Appeal to Prefecture": "R",
    "Send Appeal to Prefecture": "F",
    "Receive Result Appeal from Prefecture": "O",
    "Notify Result Appeal to Offender": "T",
    "Appeal to Judge": "J",
    "Send for Credit Collection": "X",
}
"""The letter that a step leaves in the row."""

DATE = {
    "Create Fine": "entered_on",
    "Send Fine": "sent_on",
    "Insert Fine Notification": "notified_on",
    "Add penalty": "raised_on",
    "Insert Date Appeal to Prefecture": "appealed_on",
    "Receive Result Appeal from Prefecture": "decided_on",
}
"""The steps that have a date of their own, and its column."""

LASTING_FIELDS = (
    "amount",
    "article",
    "points",
    "vehicle_class",
    "officer",
    "dismissal",
    "expense",
    "notification_type",
    "last_sent",
)
"""What a step says is kept until another step says something else."""


@dataclass(frozen=True)
class Legacy:
    """The logs of both tables; `events` has the true event behind each commit, from 1."""

    fines: list[Image]
    payments: list[Image]
    events: list[TrueEvent]


def legacy(events: Iterable[TrueEvent]) -> Legacy:
    """Every event is one commit, on the evening of its day."""
    logs = Legacy([], [], sorted(events, key=lambda e: (e.time, e.place)))
    rows: dict[str, dict[str, Any]] = {}
    for commit, event in enumerate(logs.events, start=1):
        committed = event.time + dt.timedelta(hours=20, microseconds=commit)
        before = rows.get(event.case)
        after = rows[event.case] = _after(before or {"fine_no": event.case}, event)
        logs.fines.append(Image(before, after, commit, committed))
        if event.activity == PAYMENT:
            logs.payments.append(Image(None, _payment(event), commit, committed))
    return logs


def _after(row: dict[str, Any], event: TrueEvent) -> dict[str, Any]:
    day = event.time.date()
    after = row | {"status": STATUS[event.activity], "status_on": day}
    if event.activity in DATE:
        after[DATE[event.activity]] = day
    if event.activity != PAYMENT:
        after |= {name: event.payload[name] for name in LASTING_FIELDS if name in event.payload}
    return after


def _payment(event: TrueEvent) -> dict[str, Any]:
    return {
        "payment_no": event.payload["payment_no"],
        "fine_no": event.case,
        "paid_on": event.time.date(),
        "digits": event.payload["digits"],
        "paid_in_all": event.payload["paid_in_all"],
    }
