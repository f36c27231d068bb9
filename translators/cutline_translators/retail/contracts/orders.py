"""ERP: order headers."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table
from cutline_translators.retail.statuses import ORDER_LIFECYCLE


class ErpOrder(SourceContract):
    """One customer order as the ERP holds it today; its status has been overwritten many times."""

    order_no: T.StringType = column(doc="the order's number, such as SO-00000001", nullable=False)
    region: T.StringType = column(doc="the sales region", stable=True, nullable=False)
    channel: T.StringType = column(doc="where it was placed: WEB, STORE or PHONE", stable=True)
    customer_no: T.StringType = column(doc="who placed it", stable=True, personal=True)
    status: T.StringType = column(
        doc="five letters; two dozen of them are exceptions that few still trust", classifies=True
    )
    currency: T.StringType = column(doc="ISO 4217 code of the money", stable=True)
    total_cents: T.LongType = column(doc="the order's value, in cents", stable=True)
    ordered_at: T.TimestampType = column(doc="when it was placed", stable=True)
    booked_at: T.TimestampType = column(doc="when the ERP accepted it", stable=True)
    allocated_at: T.TimestampType = column(doc="when stock was first set aside for it", stable=True)
    released_at: T.TimestampType = column(doc="when it went to the warehouse", stable=True)
    closed_at: T.TimestampType = column(doc="when it was closed", stable=True)
    cancelled_at: T.TimestampType = column(doc="when it was cancelled", stable=True)
    updated_at: T.TimestampType = column(doc="when anything of the row last changed")

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "orders", key=["order_no"], lifecycle=ORDER_LIFECYCLE)
