"""Shop: payments."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table


class Payment(SourceContract):
    """One attempt to take money for an order."""

    payment_no: T.StringType = column(doc="the payment", nullable=False)
    order_no: T.StringType = column(doc="the order", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False)
    method: T.StringType = column(doc="card, invoice and so on", stable=True, nullable=False)
    amount_cents: T.LongType = column(doc="the amount, in cents", stable=True, nullable=False, ge=0)
    status: T.StringType = column(
        doc="how it ended", nullable=False, classifies=True, isin=["CAPTURED", "FAILED", "REFUNDED"]
    )
    paid_at: T.TimestampType = column(
        doc="when the money was taken; a refund does not change it", stable=True
    )

    class Config:
        """Where the rows come from."""

        metadata = table(
            "shop",
            "payments",
            key=["payment_no"],
            lifecycle=lifecycle(
                "status",
                start=["CAPTURED", "FAILED", "REFUNDED"],
                follows={"CAPTURED": ["REFUNDED"]},
            ),
        )
