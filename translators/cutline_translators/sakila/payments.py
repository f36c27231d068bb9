"""Payments: money that the customer of a rental paid for it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from cutline.translator import (
    COMMIT,
    Occurrence,
    Translator,
    ambiguous,
    fact,
    lookup,
    reject,
    removed,
)
from cutline_domains.rental import RENTAL_CONTEXT, PaymentReceived, PaymentWithdrawn
from cutline_translators.sakila.contracts import Rental, TillPayment


class SakilaPayments(Translator):
    """The facts of a payment; the rental says who must have paid."""

    context, aggregate, version = RENTAL_CONTEXT, "rental", "1.0.0"
    source, subject = TillPayment, "rental_id"

    rental = lookup(Rental, on="rental_id")

    @reject("payment-without-rental")
    def payment_without_rental(self, row: Any) -> Any:
        """The till took money for a rental that is not in the books."""
        return row.payment_id.isNotNull() & row.rental.rental_id.isNull()

    @ambiguous("paid-by-another-customer")
    def paid_by_another_customer(self, row: Any) -> Any:
        """The rental is another customer's: who paid and what for, one of the two is wrong."""
        return row.customer_id != row.rental.customer_id

    @fact(PaymentReceived)
    def received(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.payment_date,
            data={"payment_no": row.payment_id, "amount_cents": _cents(row.amount)},
        )

    @removed(PaymentWithdrawn)
    def withdrawn(self, row: Any) -> Occurrence:
        # The row is gone, and nothing says when: it is the commit that counts.
        return Occurrence(
            when=False,
            time_basis=COMMIT,
            data={"payment_no": row.payment_id, "amount_cents": _cents(row.amount)},
        )


def _cents(dollars: Column) -> Column:
    return (dollars * 100).cast("bigint")
