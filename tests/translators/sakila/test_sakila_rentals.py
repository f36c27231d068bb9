"""What Sakila's rentals and payments mean, on literal rows of its first days."""

from __future__ import annotations

import pytest

from cutline.testing import (
    ambiguous,
    created,
    deleted,
    event,
    given,
    nothing,
    quarantined,
    row,
    snapshot,
    specification,
    together,
    translated,
    updated,
)
from cutline_domains.rental import (
    PaymentReceived,
    PaymentWithdrawn,
    RentalReturned,
    RentalStarted,
    RentalWithdrawn,
)
from cutline_translators.sakila.contracts import Copy, Rental, TillPayment
from cutline_translators.sakila.payments import SakilaPayments
from cutline_translators.sakila.rentals import SakilaRentals

pytestmark = pytest.mark.usefixtures("spark")

COPY = row(Copy, inventory_id=367, film_id=80, store_id=1)
FIRST = row(
    Rental,
    rental_id=1,
    rental_date="2005-05-24T22:53:30Z",
    inventory_id=367,
    customer_id=130,
    return_date="2005-05-26T22:04:30Z",
)
OPEN = FIRST.but(return_date=None)
PAID = row(
    TillPayment,
    payment_id=3504,
    customer_id=130,
    rental_id=1,
    amount="2.99",
    payment_date="2005-05-24T22:53:30Z",
)
FOREIGN = PAID.but(payment_id=14675, customer_id=546, amount="3.99")

STARTED = event(
    RentalStarted,
    subject="1",
    time="2005-05-24T22:53:30Z",
    basis="effective",
    confidence="inferred",
    data={
        "customer_no": 130,
        "copy_no": 367,
        "film_no": 80,
        "store_no": 1,
        "started_at": "2005-05-24T22:53:30Z",
    },
)
RETURNED = event(
    RentalReturned,
    subject="1",
    time="2005-05-26T22:04:30Z",
    basis="effective",
    data={"returned_at": "2005-05-26T22:04:30Z"},
)
RECEIVED = event(
    PaymentReceived,
    subject="1",
    time="2005-05-24T22:53:30Z",
    confidence="exact",
    data={"payment_no": 3504, "amount_cents": 299},
)

test_rentals = specification(
    SakilaRentals,
    {
        "a rental that came back was started and returned": given(
            snapshot(COPY), snapshot(FIRST)
        ).means(STARTED, RETURNED),
        "a rental without a return is open": given(snapshot(COPY), snapshot(OPEN)).means(STARTED),
        "a copy that nobody knows has no film and no store": given(snapshot(OPEN)).means(
            event(RentalStarted, data={"film_no": None, "store_no": None})
        ),
        "its return is told once, when it is typed in": given(
            snapshot(COPY),
            snapshot(OPEN),
            updated(OPEN, return_date="2005-05-26T22:04:30Z", at="2005-05-27T08:00Z"),
            updated(FIRST, staff_id=2, at="2005-05-28T08:00Z"),
        ).means(STARTED, RETURNED, translated(), translated(), nothing()),
        "a return that is taken back goes to a person": given(
            snapshot(FIRST), updated(FIRST, return_date=None)
        ).means(
            event(RentalStarted),
            event(RentalReturned),
            translated(),
            ambiguous("return-taken-back"),
        ),
        "a copy that came back before it went out is nobody's history": given(
            snapshot(FIRST, return_date="2005-05-23T00:00Z")
        ).means(quarantined("contract:returned_before_started")),
        "a rental that is struck from the books is withdrawn": given(
            created(OPEN), deleted(OPEN, at="2005-05-25T08:00Z")
        ).means(
            event(RentalStarted),
            event(RentalWithdrawn, subject="1", time="2005-05-25T08:00:00Z", basis="commit"),
        ),
    },
).tests()

test_payments = specification(
    SakilaPayments,
    {
        "a payment of the rental's customer was received, in cents": given(
            snapshot(FIRST), snapshot(PAID)
        ).means(RECEIVED),
        "a booking of nothing is told as it is": given(
            snapshot(FIRST), snapshot(PAID, amount="0.00")
        ).means(event(PaymentReceived, data={"amount_cents": 0})),
        "two payments for one rental are two": given(
            snapshot(FIRST), snapshot(PAID), snapshot(PAID, payment_id=15458, amount="0.99")
        ).means(RECEIVED, event(PaymentReceived, data={"payment_no": 15458, "amount_cents": 99})),
        "a payment of another customer goes to a person": given(
            snapshot(FIRST), snapshot(FOREIGN)
        ).means(ambiguous("paid-by-another-customer")),
        "booked on the rental of the one who paid, it was received": given(
            snapshot(FIRST),
            snapshot(FIRST, rental_id=7, customer_id=546),
            snapshot(FOREIGN),
            updated(FOREIGN, rental_id=7),
        ).means(
            ambiguous("paid-by-another-customer"),
            nothing(),
            translated(),
            event(PaymentReceived, subject="7", data={"amount_cents": 399}),
        ),
        "a payment that is moved to another rental goes from one to the other": given(
            snapshot(FIRST),
            snapshot(FIRST, rental_id=7),
            snapshot(PAID),
            updated(PAID, rental_id=7),
        ).means(
            RECEIVED,
            event(PaymentReceived, subject="7", data={"payment_no": 3504, "amount_cents": 299}),
            event(PaymentWithdrawn, subject="1", data={"payment_no": 3504, "amount_cents": 299}),
        ),
        "moved to the rental of another customer it is gone from the first": given(
            snapshot(FIRST),
            snapshot(FIRST, rental_id=7, customer_id=546),
            snapshot(PAID),
            updated(PAID, rental_id=7),
        ).means(
            RECEIVED,
            event(PaymentWithdrawn, subject="1"),
            translated(),
            translated(),
            ambiguous("paid-by-another-customer"),
        ),
        "money for no rental goes to a person": given(snapshot(PAID)).means(
            quarantined("payment-without-rental")
        ),
        "taken in one transaction with its rental it was received": given(
            together(created(PAID), created(FIRST))
        ).means(RECEIVED),
        "a payment that is struck is withdrawn": given(
            snapshot(FIRST), created(PAID), deleted(PAID)
        ).means(RECEIVED, event(PaymentWithdrawn, data={"payment_no": 3504, "amount_cents": 299})),
        "struck together with its rental it is withdrawn too": given(
            created(FIRST), created(PAID), together(deleted(PAID), deleted(FIRST))
        ).means(RECEIVED, event(PaymentWithdrawn)),
        "a foreign payment that is struck was never told": given(
            snapshot(FIRST), created(FOREIGN), deleted(FOREIGN)
        ).means(ambiguous("paid-by-another-customer"), nothing()),
    },
).tests()
