"""Orders: the facts of an Olist order, from its timestamps and its status."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator import COMMIT, Occurrence, Translator, fact, lookup, understood
from cutline_domains.marketplace import (
    MARKETPLACE,
    OrderCancelled,
    OrderDelivered,
    OrderHandedToCarrier,
    OrderPlaced,
    OrderUnavailable,
    PaymentApproved,
)
from cutline_translators.olist.contracts import Customer, Order, OrderItem

MONEY = "decimal(14,2)"
TOLD_BY_TIMES = ("created", "approved", "invoiced", "processing", "shipped", "delivered")


class OlistOrders(Translator):
    """A step is announced exactly where its time is recorded.

    That an order was cancelled or unavailable is known by its status only, and not when. There is
    no time for "invoiced" and "processing", so they are not announced.
    """

    context, aggregate, version = MARKETPLACE, "order", "1.0.0"
    source, subject = Order, "order_id"

    customer = lookup(Customer, on="customer_id")
    items = lookup(OrderItem, on="order_id", by="order_id", many=True)

    @understood("told-by-its-times")
    def told_by_its_times(self, row: Any) -> Any:
        """How far the order has come, which its times tell better."""
        return row.order_status.isin(*TOLD_BY_TIMES)

    @fact(OrderPlaced)
    def placed(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.order_purchase_timestamp.isNotNull(),
            at=row.order_purchase_timestamp,
            data={
                "customer_state": row.customer.customer_state,
                "amount_due": _amount_due(row.items),
            },
        )

    @fact(PaymentApproved)
    def approved(self, row: Any) -> Occurrence:
        return _at(row.order_approved_at)

    @fact(OrderHandedToCarrier)
    def handed_over(self, row: Any) -> Occurrence:
        return _at(row.order_delivered_carrier_date)

    @fact(OrderDelivered)
    def delivered(self, row: Any) -> Occurrence:
        return _at(row.order_delivered_customer_date)

    @fact(OrderUnavailable)
    def unavailable(self, row: Any) -> Occurrence:
        return Occurrence(when=row.order_status == "unavailable", time_basis=COMMIT)

    @fact(OrderCancelled)
    def cancelled(self, row: Any) -> Occurrence:
        return Occurrence(when=row.order_status == "canceled", time_basis=COMMIT)


def _at(time: Column) -> Occurrence:
    return Occurrence(when=time.isNotNull(), at=time)


def _amount_due(items: Column) -> Column:
    """Items and their freight, in reais; null where there are none."""
    return F.aggregate(
        items,
        F.lit(0).cast(MONEY),
        lambda due, item: (due + item.getField("price") + item.getField("freight_value")).cast(
            MONEY
        ),
    )
