"""Payments, as the till books them."""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class TillPayment(SourceContract):
    """One payment of one customer for one rental; most rentals have exactly one."""

    payment_id: T.LongType = column(doc="the payment", nullable=False)
    customer_id: T.LongType = column(doc="who paid", nullable=False, personal=True)
    staff_id: T.LongType = column(doc="who took the money")
    rental_id: T.LongType = column(doc="for which rental", nullable=False)
    amount: Annotated[T.DecimalType, 5, 2] = column(
        doc="how much, in dollars; the price of the rental and what being late costs",
        stable=True,
        nullable=False,
        ge=0,
    )
    payment_date: T.TimestampType = column(
        doc="when it was paid; no zone: read as UTC", stable=True, nullable=False
    )

    class Config:
        """Where the rows come from."""

        metadata = table("sakila", "payment", key=["payment_id"])
