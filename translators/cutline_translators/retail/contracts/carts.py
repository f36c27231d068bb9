"""Shop: shopping carts."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Cart(SourceContract):
    """One shopping cart; at most one per order, none for orders that were not placed online."""

    cart_no: T.StringType = column(doc="the cart", nullable=False)
    order_no: T.StringType = column(doc="the order it became; null while it is nobody's")
    customer_no: T.StringType = column(doc="whose cart it is", personal=True)
    region: T.StringType = column(doc="the sales region", nullable=False)
    status: T.StringType = column(
        doc="SUBMITTED or ABANDONED", nullable=False, isin=["SUBMITTED", "ABANDONED"]
    )
    total_cents: T.LongType = column(doc="what the customer saw, in cents")
    submitted_at: T.TimestampType = column(doc="when the customer ordered")

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "carts", key=["cart_no"])
