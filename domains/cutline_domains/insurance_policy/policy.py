"""Policy: what is insured, from when to when, for how much, and whether cover is in force."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    count,
    excludes,
    expects,
    last_of_types,
    latest,
    personal,
    requires,
    total,
    unit,
)

IN_FORCE, SUSPENDED, LAPSED = "in_force", "suspended", "lapsed"
CANCELLED, EXPIRED = "cancelled", "expired"

Product = Literal["HOME", "MOTOR", "LIABILITY"]


class PolicyBound(Event):
    """Insurer and customer are bound: cover begins on `covered_from`, a day."""

    customer_no: Annotated[str, personal]
    product: Product
    covered_from: dt.date


class TermAgreed(Event):
    """Cover has been agreed for one term, the first or a renewal.

    It holds from the day `term_from` to the day before `term_to`.
    """

    identified_by: ClassVar[tuple[str, ...]] = ("term_from", "term_to")

    term_from: dt.date
    term_to: dt.date


class CoverageAdded(Event):
    """A risk is covered from the day `covered_from`, up to `sum_insured_cents` in cents."""

    identified_by: ClassVar[tuple[str, ...]] = ("coverage_no",)

    coverage_no: int
    risk: str
    sum_insured_cents: Annotated[int, unit("cents"), Field(ge=0)]
    covered_from: dt.date


class CoverageEnded(Event):
    """A risk is no longer covered; `sum_insured_cents`, in cents, is what it was covered for."""

    identified_by: ClassVar[tuple[str, ...]] = ("coverage_no",)

    coverage_no: int
    sum_insured_cents: Annotated[int, unit("cents"), Field(ge=0)]


class PremiumChanged(Event):
    """From the day `period_from` the policy costs `premium_cents` a year, in cents, before tax.

    `revision` counts what was said of the same period: 1 first, 2 for its first correction.
    `tariff` names the tariff that was valid on that day.
    """

    identified_by: ClassVar[tuple[str, ...]] = ("period_from", "revision")

    period_from: dt.date
    revision: int = Field(ge=1)
    premium_cents: Annotated[int, unit("cents"), Field(ge=0)]
    tariff: str


class EndorsementIssued(Event):
    """The policy has been amended; it costs `premium_delta_cents` a year more, or less, in cents.

    `entered_at` is when it was keyed in, which may be long after it took effect; null where nobody
    wrote it down.
    """

    identified_by: ClassVar[tuple[str, ...]] = ("endorsement_no",)

    endorsement_no: str
    kind: str
    premium_delta_cents: Annotated[int, unit("cents")]
    entered_at: dt.datetime | None = None


class EndorsementWithdrawn(Event):
    """An amendment does not hold any more, and never should have."""

    identified_by: ClassVar[tuple[str, ...]] = ("endorsement_no",)

    endorsement_no: str
    premium_delta_cents: Annotated[int, unit("cents")]


class RenewalNoticeSent(Event):
    """The customer has been told what the term after `term_to` will cost."""

    identified_by: ClassVar[tuple[str, ...]] = ("term_to",)
    side_effect: ClassVar[str] = "mails the customer a renewal notice"

    term_to: dt.date


class PolicySuspended(Event):
    """Cover rests from the day `since`, and no premium is due."""

    identified_by: ClassVar[tuple[str, ...]] = ("since",)

    since: dt.date


class PolicyLapsed(Event):
    """Cover has lapsed on the day `lapsed_on`, because the premium was not paid."""

    identified_by: ClassVar[tuple[str, ...]] = ("lapsed_on",)

    lapsed_on: dt.date


class PolicyReinstated(Event):
    """Cover is in force again from the day `reinstated_on`, after it had lapsed or rested."""

    identified_by: ClassVar[tuple[str, ...]] = ("reinstated_on",)

    reinstated_on: dt.date


class PolicyCancelled(Event):
    """One side has ended the policy."""

    policy_no: str


class PolicyExpired(Event):
    """The last term has ended, and nobody renewed it."""

    policy_no: str


# Days tie often: cover that lapsed and was reinstated as of the same day is in force. What happens
# at times that nobody keeps comes last: deleted endorsements, and cancellations of long ago.
EVENTS = (
    PolicyBound,
    TermAgreed,
    CoverageAdded,
    PremiumChanged,
    EndorsementIssued,
    CoverageEnded,
    RenewalNoticeSent,
    PolicySuspended,
    PolicyLapsed,
    PolicyReinstated,
    PolicyExpired,
    EndorsementWithdrawn,
    PolicyCancelled,
)

POLICY = Aggregate(
    name="policy",
    doc="What is insured, and on which terms; its subject is the policy number.",
    events=EVENTS,
    state={
        "status": last_of_types(
            {
                PolicyBound: IN_FORCE,
                PolicySuspended: SUSPENDED,
                PolicyLapsed: LAPSED,
                PolicyReinstated: IN_FORCE,
                PolicyExpired: EXPIRED,
                PolicyCancelled: CANCELLED,
            }
        ),
        "product": latest("product", PolicyBound),
        "covered_from": latest("covered_from", PolicyBound),
        "covered_until": latest("term_to", TermAgreed),
        "premium_cents": latest("premium_cents", PremiumChanged),
        "endorsements": count(EndorsementIssued, minus=[EndorsementWithdrawn]),
        "endorsed_cents": total("premium_delta_cents", [EndorsementIssued], [EndorsementWithdrawn]),
        "coverages": count(CoverageAdded, minus=[CoverageEnded]),
        "sum_insured_cents": total("sum_insured_cents", [CoverageAdded], [CoverageEnded]),
        "noticed_for": latest("term_to", RenewalNoticeSent),
    },
    order=(
        *(requires(event, first=PolicyBound) for event in EVENTS[1:]),
        expects(
            EndorsementWithdrawn,
            first=EndorsementIssued,
            rule="withdrawn-before-issued",
            missing="withdrawn-but-never-issued",
        ),
        expects(
            CoverageEnded,
            first=CoverageAdded,
            rule="coverage-ended-before-it-began",
            missing="coverage-ended-but-never-began",
        ),
        expects(
            PolicyReinstated,
            first=PolicyLapsed,
            rule="reinstated-before-lapse",
        ),
        excludes(PolicyExpired, other=PolicyCancelled, rule="expired-and-cancelled"),
    ),
)
