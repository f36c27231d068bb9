"""Payments: money taken for an order, and given back."""

from __future__ import annotations

from typing import Any

from cutline.translator import COMMIT, Occurrence, Translator, fact, ignore, lookup, reject
from cutline_domains.fulfilment import FULFILMENT, PaymentCaptured, PaymentRefunded
from cutline_translators.retail.contracts import ErpOrder, Payment
from cutline_translators.retail.statuses import TEST


class ShopPayments(Translator):
    """The facts of a payment; a refunded payment was captured before."""

    context, aggregate, version = FULFILMENT, "customer_order", "1.0.0"
    source, subject = Payment, "order_no"

    order = lookup(ErpOrder, on="order_no")

    @reject("payment-without-order")
    def payment_without_order(self, row: Any) -> Any:
        """The shop took money for an order that the ERP does not know."""
        return row.order.order_no.isNull()

    @ignore("payment-of-test-order")
    def payment_of_test_order(self, row: Any) -> Any:
        """The payment belongs to a test order."""
        return row.order.status == TEST

    @ignore("failed-payment")
    def failed_payment(self, row: Any) -> Any:
        """The attempt failed: no money moved."""
        return row.status == "FAILED"

    @fact(PaymentCaptured)
    def captured(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin("CAPTURED", "REFUNDED"),
            at=row.paid_at,
            data={
                "payment_no": row.payment_no,
                "method": row.method,
                "amount_cents": row.amount_cents,
            },
        )

    @fact(PaymentRefunded)
    def refunded(self, row: Any) -> Occurrence:
        # The shop keeps no time of the refund.
        return Occurrence(
            when=row.status == "REFUNDED",
            time_basis=COMMIT,
            data={"payment_no": row.payment_no, "amount_cents": row.amount_cents},
        )
