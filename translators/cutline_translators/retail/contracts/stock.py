"""Stores: counted stock."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Stock(SourceContract):
    """The latest count of one article in one region."""

    sku: T.StringType = column(doc="the article", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False)
    physical_quantity: T.LongType = column(doc="pieces counted", nullable=False)
    counted_at: T.TimestampType = column(doc="when they were counted")

    class Config:
        """Where the rows come from."""

        metadata = table("stores", "stock", key=["sku", "region"])
