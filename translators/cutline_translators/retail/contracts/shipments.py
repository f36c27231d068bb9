"""Warehouse feed: shipments."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table


class Shipment(SourceContract):
    """One parcel with one carrier."""

    shipment_no: T.StringType = column(doc="the parcel", nullable=False)
    order_no: T.StringType = column(doc="the order it belongs to", stable=True, nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False)
    carrier: T.StringType = column(doc="who carries it", stable=True, nullable=False)
    status: T.StringType = column(
        doc="how far it has come",
        nullable=False,
        classifies=True,
        isin=["LABELLED", "DISPATCHED", "DELIVERED"],
    )
    dispatched_at: T.TimestampType = column(doc="when the carrier took it", stable=True)
    delivered_at: T.TimestampType = column(doc="when the customer had it", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "warehouse",
            "shipments",
            key=["shipment_no"],
            lifecycle=lifecycle(
                "status",
                start=["LABELLED", "DISPATCHED", "DELIVERED"],
                follows={"LABELLED": ["DISPATCHED", "DELIVERED"], "DISPATCHED": ["DELIVERED"]},
            ),
        )
