"""Rental: one copy of a film in a customer's hands, from the counter and back to it."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, ClassVar

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    count,
    excludes,
    expects,
    furthest_of_types,
    latest,
    personal,
    requires,
    total,
    unit,
)

OUT, RETURNED = "out", "returned"


class RentalStarted(Event):
    """A customer took a copy of a film home.

    `copy_no` is the copy; `film_no` and `store_no` are its film and the store that it belongs to,
    null where nobody knows the copy.
    """

    customer_no: Annotated[int, personal]
    copy_no: int
    film_no: int | None = None
    store_no: int | None = None
    started_at: dt.datetime


class PaymentReceived(Event):
    """The customer of the rental paid for it: `amount_cents`, in cents of a dollar.

    A booking of nothing is one as well: 0 cents.
    """

    identified_by: ClassVar[tuple[str, ...]] = ("payment_no",)

    payment_no: int
    amount_cents: Annotated[int, unit("cents"), Field(ge=0)]


class RentalReturned(Event):
    """The copy is back."""

    returned_at: dt.datetime


class PaymentWithdrawn(Event):
    """A payment was struck from the rental: it was booked by mistake, or belongs to another."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment_no",)

    payment_no: int
    amount_cents: Annotated[int, unit("cents"), Field(ge=0)]


class RentalWithdrawn(Event):
    """The rental was struck from the books: nobody took the copy home."""


# Money that came is money, whenever it came: a payment is never held back for its time. A copy
# cannot come back that nobody took.
RENTAL = Aggregate(
    name="rental",
    doc="One copy of a film with one customer; its subject is the rental's number.",
    events=(
        RentalStarted,
        PaymentReceived,
        RentalReturned,
        PaymentWithdrawn,
        RentalWithdrawn,
    ),
    state={
        "status": furthest_of_types({RentalStarted: OUT, RentalReturned: RETURNED}),
        "customer_no": latest("customer_no", RentalStarted),
        "copy_no": latest("copy_no", RentalStarted),
        "film_no": latest("film_no", RentalStarted),
        "store_no": latest("store_no", RentalStarted),
        "started_at": latest("started_at", RentalStarted),
        "returned_at": latest("returned_at", RentalReturned),
        "payments": count(PaymentReceived, minus=[PaymentWithdrawn]),
        "paid_cents": total("amount_cents", [PaymentReceived], [PaymentWithdrawn]),
    },
    order=(
        requires(RentalReturned, first=RentalStarted),
        requires(PaymentWithdrawn, first=PaymentReceived),
        expects(
            PaymentReceived,
            first=RentalStarted,
            rule="paid-before-start",
            missing="paid-without-rental",
        ),
        excludes(RentalWithdrawn, other=RentalReturned, rule="withdrawn-after-return"),
    ),
    ended_by=(RentalWithdrawn,),
    categories=("status", "store_no"),
)
