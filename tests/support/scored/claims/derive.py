"""What a core system would keep of a claim: one row that each step overwrites.

The row has a time for the steps that it was built for. That the claimant was advised is a mark
without a time. Of the other steps it knows only its status, since when, and whose desk it was on;
the next step overwrites all three.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from support.scored.images import Image
from support.scored.truth import TrueEvent

CHECKED = "Check if customer has all required information"
REGISTERED = "Register Claim"
DETERMINED = "Determine likelihood of the claim"
ASSESSED = "Assess Claim"
PAID = "Initiate Payment"
ADVISED = "Advise Claimant on Reimbursement"
CLOSED = "Close Claim"

STATUS = {
    CHECKED: "V",
    REGISTERED: "R",
    DETERMINED: "L",
    ASSESSED: "A",
    PAID: "P",
    ADVISED: "I",
    CLOSED: "Z",
}
"""The letter that a step leaves in the row."""

TIME = {
    REGISTERED: "registered_at",
    ASSESSED: "assessed_at",
    PAID: "paid_at",
    CLOSED: "closed_at",
}
"""The steps that have a time of their own, and its column."""


@dataclass(frozen=True)
class Legacy:
    """The log of the claims; `events` has the true event behind each commit, from 1."""

    claims: list[Image]
    events: list[TrueEvent]


def legacy(events: Iterable[TrueEvent]) -> Legacy:
    """Every event is one commit, at the moment when the step was finished."""
    log = Legacy([], sorted(events, key=lambda e: (e.time, e.place)))
    rows: dict[str, dict[str, Any]] = {}
    for commit, event in enumerate(log.events, start=1):
        before = rows.get(event.case)
        empty = {"claim_no": int(event.case), "advised": False}
        after = rows[event.case] = _after(before or empty, event)
        log.claims.append(Image(before, after, commit, event.time))
    return log


def _after(row: dict[str, Any], event: TrueEvent) -> dict[str, Any]:
    after = row | {
        "status": STATUS[event.activity],
        "status_at": event.time,
        "handler": event.payload["handled_by"],
    }
    if event.activity in TIME:
        after[TIME[event.activity]] = event.time
    if event.activity == ADVISED:
        after["advised"] = True
    return after
