"""Claims as the insurer's new system speaks of them."""

from __future__ import annotations

from typing import Annotated

from cutline.context import (
    Aggregate,
    Context,
    Event,
    expects,
    furthest_of_types,
    personal,
    requires,
)

Person = Annotated[str, personal]


class CoverChecked(Event):
    """The caller's papers were looked through. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


class ClaimRegistered(Event):
    """The claim was entered. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


class LikelihoodDetermined(Event):
    """It was judged how likely the claim is. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


class ClaimAssessed(Event):
    """The damage was assessed. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


class PaymentInitiated(Event):
    """The money was sent off. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


class ClaimantAdvised(Event):
    """The claimant was told of the reimbursement. `handled_by` is null where nobody knows it."""

    handled_by: Person | None = None


class ClaimClosed(Event):
    """Nothing is left to do. `handled_by` is null where nobody knows it now."""

    handled_by: Person | None = None


CLAIM = Aggregate(
    name="claim",
    doc="One claim; its subject is the claim's number.",
    events=(
        CoverChecked,
        ClaimRegistered,
        LikelihoodDetermined,
        ClaimAssessed,
        PaymentInitiated,
        ClaimantAdvised,
        ClaimClosed,
    ),
    state={
        "stage": furthest_of_types(
            {
                CoverChecked: "checked",
                ClaimRegistered: "registered",
                ClaimAssessed: "assessed",
                PaymentInitiated: "paid",
                ClaimClosed: "closed",
            }
        )
    },
    order=(
        requires(ClaimAssessed, first=ClaimRegistered),
        requires(PaymentInitiated, first=ClaimAssessed),
        requires(ClaimClosed, first=PaymentInitiated),
        expects(ClaimClosed, first=ClaimantAdvised, rule="closed-before-advised"),
    ),
)

CLAIMS = Context(name="claims", doc="Claims of one insurer.", aggregates=(CLAIM,))
