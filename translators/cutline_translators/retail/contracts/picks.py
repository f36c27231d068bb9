"""Stores: picks."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table


class Pick(SourceContract):
    """One article that a store picks, or has picked, for one order line; never a bundle."""

    pick_no: T.StringType = column(doc="the pick", nullable=False)
    order_no: T.StringType = column(doc="the order", stable=True, nullable=False)
    line_no: T.LongType = column(doc="the order's line", stable=True, nullable=False)
    region: T.StringType = column(doc="the sales region", stable=True, nullable=False)
    store: T.StringType = column(doc="the store that picks")
    sku: T.StringType = column(
        doc="the article: for a bundle, one of its components", stable=True, nullable=False
    )
    quantity: T.LongType = column(doc="pieces", stable=True, nullable=False, ge=1)
    status: T.StringType = column(
        doc="how far the pick has come",
        nullable=False,
        classifies=True,
        isin=["ALLOCATED", "PICKED", "SHORT"],
    )
    allocated_at: T.TimestampType = column(doc="when the store set the pieces aside", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "stores",
            "picks",
            key=["pick_no"],
            lifecycle=lifecycle(
                "status",
                start=["ALLOCATED", "PICKED", "SHORT"],
                follows={"ALLOCATED": ["PICKED", "SHORT"]},
            ),
        )
