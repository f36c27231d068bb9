"""Warehouse feed: releases."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class WarehouseRelease(SourceContract):
    """What the warehouse says about one order it has been told of."""

    order_no: T.StringType = column(doc="the order", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False)
    release_status: T.StringType = column(
        doc="REL released, HLD on hold, ERR not understood",
        nullable=False,
        isin=["REL", "HLD", "ERR"],
    )
    released_at: T.TimestampType = column(doc="when it was released")

    class Config:
        """Where the rows come from."""

        metadata = table("warehouse", "releases", key=["order_no"])
