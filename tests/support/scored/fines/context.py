"""Traffic fines as the town's new system speaks of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import Field

from cutline.context import (
    Aggregate,
    Context,
    Event,
    expects,
    furthest_of_types,
    latest,
    personal,
    requires,
    total,
    unit,
)

Euro = Annotated[Decimal, unit("EUR"), Field(ge=0, max_digits=8, decimal_places=2)]
Dismissal = Annotated[str, Field(max_length=3)]


class FineCreated(Event):
    """A fine was made out. `amount` is null where a raised one has since replaced it.

    `dismissal` says whether and why it was let off at once (`NIL`: it was not); null where it could
    have been replaced since.
    """

    article: int
    points: Annotated[int, Field(ge=0)]
    vehicle_class: str
    officer: Annotated[str, personal]
    amount: Euro | None = None
    dismissal: Dismissal | None = None


class FineSent(Event):
    """The fine was posted; `expense` is what that costs the offender."""

    expense: Euro


class OffenderNotified(Event):
    """The offender has the fine. `last_sent` is null where nobody wrote it down."""

    notification_type: str
    last_sent: str | None = None


class PenaltyAdded(Event):
    """The fine was not paid in time; `amount` is the raised one."""

    amount: Euro


class AppealRegistered(Event):
    """The offender's appeal to the prefecture was entered."""


class AppealForwarded(Event):
    """The appeal went to the prefecture; `dismissal` says what the town makes of it."""

    dismissal: Dismissal


class AppealDecided(Event):
    """The prefecture's decision came in."""


class OffenderToldOfDecision(Event):
    """The offender was told what the prefecture decided."""


class JudgeAppealed(Event):
    """The offender went to court; `dismissal` is what the court said of the fine."""

    dismissal: Dismissal


class PaymentReceived(Event):
    """Money came in for the fine; `paid_in_all` is the total by the end of that day."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment_no",)

    payment_no: str
    amount: Euro
    paid_in_all: Euro


class CollectionStarted(Event):
    """The debt was handed to the collectors."""


FINE = Aggregate(
    name="fine",
    doc="One traffic fine; its subject is the fine's number.",
    events=(
        FineCreated,
        FineSent,
        OffenderNotified,
        PenaltyAdded,
        AppealRegistered,
        AppealForwarded,
        AppealDecided,
        OffenderToldOfDecision,
        JudgeAppealed,
        PaymentReceived,
        CollectionStarted,
    ),
    state={
        "stage": furthest_of_types(
            {
                FineCreated: "created",
                FineSent: "sent",
                OffenderNotified: "notified",
                PenaltyAdded: "raised",
                CollectionStarted: "collection",
            }
        ),
        "amount": latest("amount", FineCreated, PenaltyAdded),
        "paid": total("amount", [PaymentReceived]),
    },
    order=(
        requires(FineSent, first=FineCreated),
        requires(OffenderNotified, first=FineSent),
        requires(PenaltyAdded, first=OffenderNotified),
        requires(PaymentReceived, first=FineCreated),
        requires(CollectionStarted, first=PenaltyAdded),
        expects(
            AppealRegistered,
            first=OffenderNotified,
            rule="appealed-before-notified",
            missing="appealed-never-notified",
        ),
        expects(
            AppealDecided,
            first=AppealForwarded,
            rule="decided-before-forwarded",
            missing="decided-never-forwarded",
        ),
    ),
)

FINES = Context(name="fines", doc="Traffic fines of one town.", aggregates=(FINE,))
