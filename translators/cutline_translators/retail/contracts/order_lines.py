"""ERP: order lines."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table


class ErpOrderLine(SourceContract):
    """One line of a customer order; a bundle is one line."""

    order_no: T.StringType = column(doc="the order", nullable=False)
    line_no: T.LongType = column(doc="the line within the order, from 1", nullable=False)
    region: T.StringType = column(doc="the sales region", stable=True, nullable=False)
    sku: T.StringType = column(doc="the article or the bundle", stable=True, nullable=False)
    quantity: T.LongType = column(
        doc="units ordered; never less than one", stable=True, nullable=False, ge=1
    )
    unit_price_cents: T.LongType = column(doc="price of one unit, in cents")
    line_status: T.StringType = column(
        doc="how far the line has come",
        nullable=False,
        classifies=True,
        isin=["OPEN", "ALLOCATED", "SHIPPED", "CANCELLED"],
    )
    ordered_at: T.TimestampType = column(doc="when the line was ordered", stable=True)
    allocated_at: T.TimestampType = column(doc="when stock was set aside for it", stable=True)
    shipped_at: T.TimestampType = column(doc="when it left", stable=True)
    cancelled_at: T.TimestampType = column(doc="when it was cancelled", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "erp",
            "order_lines",
            key=["order_no", "line_no"],
            lifecycle=lifecycle(
                "line_status",
                start=["OPEN"],
                follows={"OPEN": ["ALLOCATED", "CANCELLED"], "ALLOCATED": ["SHIPPED", "CANCELLED"]},
            ),
        )
