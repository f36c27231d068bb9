"""Orders, as Olist publishes them."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table

_STEPS = ("created", "approved", "invoiced", "processing", "shipped", "delivered")
_STATUSES = (*_STEPS, "unavailable", "canceled")
_FOLLOWS = {step: (*_STEPS[i + 1 :], "unavailable", "canceled") for i, step in enumerate(_STEPS)}
"""Steps may be skipped; an order that is unavailable or canceled stays so."""


class Order(SourceContract):
    """One order: a status, and a time for each step that somebody recorded."""

    order_id: T.StringType = column(doc="the order", nullable=False)
    customer_id: T.StringType = column(doc="the customer, as this order knows them", stable=True)
    order_status: T.StringType = column(
        doc="created, approved, invoiced, processing, …", classifies=True
    )
    order_purchase_timestamp: T.TimestampType = column(doc="when it was bought", stable=True)
    order_approved_at: T.TimestampType = column(doc="when the payment was approved")
    order_delivered_carrier_date: T.TimestampType = column(doc="when the carrier took it")
    order_delivered_customer_date: T.TimestampType = column(doc="when the customer had it")
    order_estimated_delivery_date: T.TimestampType = column(doc="what the customer was told")

    class Config:
        """Where the rows come from."""

        metadata = table(
            "olist",
            "orders",
            key=["order_id"],
            lifecycle=lifecycle("order_status", start=_STATUSES, follows=_FOLLOWS),
        )
