"""Claim: what a customer asks for after an incident, and what became of it."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, ClassVar

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    excludes,
    expects,
    last_of_types,
    latest,
    requires,
    unit,
)

REGISTERED, DECLINED, APPROVED = "registered", "declined", "approved"
SETTLED, WITHDRAWN = "settled", "withdrawn"


class ClaimRegistered(Event):
    """A claim was notified for an incident of the day `incident_on`, perhaps long before.

    `entered_at` is when somebody keyed it in; null where nobody wrote it down.
    """

    policy_no: str
    incident_on: dt.date
    entered_at: dt.datetime | None = None


class ReserveSet(Event):
    """The claim is expected to cost `reserve_cents`, in cents; `reserve_no` counts the guesses."""

    identified_by: ClassVar[tuple[str, ...]] = ("reserve_no",)

    reserve_no: int = Field(ge=1)
    reserve_cents: Annotated[int, unit("cents"), Field(ge=0)]


class ClaimDeclined(Event):
    """The insurer will not pay, decided on the day `declined_on`; null where that is not known."""

    identified_by: ClassVar[tuple[str, ...]] = ("declined_on",)
    side_effect: ClassVar[str] = "mails the customer a letter"

    declined_on: dt.date | None = None


class ClaimReopened(Event):
    """A declined claim is looked at again, from the day `reopened_on`."""

    identified_by: ClassVar[tuple[str, ...]] = ("reopened_on",)

    reopened_on: dt.date


class ClaimApproved(Event):
    """The insurer will pay `approved_cents`, in cents."""

    side_effect: ClassVar[str] = "mails the customer a letter"

    approved_cents: Annotated[int, unit("cents"), Field(ge=0)]


class ClaimSettled(Event):
    """The customer has the money: `paid_cents`, in cents."""

    paid_cents: Annotated[int, unit("cents"), Field(ge=0)]


class ClaimWithdrawn(Event):
    """The claim was entered by mistake, or the customer does not pursue it."""

    claim_no: str


EVENTS = (
    ClaimRegistered,
    ReserveSet,
    ClaimDeclined,
    ClaimReopened,
    ClaimApproved,
    ClaimSettled,
    ClaimWithdrawn,
)

CLAIM = Aggregate(
    name="claim",
    doc="One incident that the insurer is to pay for; its subject is the claim number.",
    events=EVENTS,
    state={
        "status": last_of_types(
            {
                ClaimRegistered: REGISTERED,
                ClaimDeclined: DECLINED,
                ClaimReopened: REGISTERED,
                ClaimApproved: APPROVED,
                ClaimSettled: SETTLED,
                ClaimWithdrawn: WITHDRAWN,
            }
        ),
        "policy_no": latest("policy_no", ClaimRegistered),
        "incident_on": latest("incident_on", ClaimRegistered),
        "reserve_cents": latest("reserve_cents", ReserveSet),
        "approved_cents": latest("approved_cents", ClaimApproved),
        "paid_cents": latest("paid_cents", ClaimSettled),
    },
    order=(
        *(requires(event, first=ClaimRegistered) for event in EVENTS[1:]),
        expects(
            ClaimSettled,
            first=ClaimApproved,
            rule="settled-before-approval",
            missing="settled-without-approval",
        ),
        excludes(ClaimDeclined, other=ClaimSettled, rule="declined-and-settled"),
    ),
)
