"""Nightly stock adjustments."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Adjustment(SourceContract):
    """One correction of the stock of one article in one region, booked at night."""

    adjustment_no: T.StringType = column(doc="the correction", nullable=False)
    sku: T.StringType = column(doc="the article", stable=True, nullable=False)
    region: T.StringType = column(doc="the sales region", stable=True, nullable=False)
    delta: T.LongType = column(doc="pieces more, or fewer if negative", stable=True, nullable=False)
    reason: T.StringType = column(doc="why", stable=True, nullable=False)
    booked_at: T.TimestampType = column(
        doc="when it was booked; some are booked days late", stable=True
    )

    class Config:
        """Where the rows come from."""

        metadata = table("adjustments", "adjustments", key=["adjustment_no"])
