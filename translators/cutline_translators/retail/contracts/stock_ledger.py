"""Finance: the stock ledger."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class StockLedger(SourceContract):
    """What the books say is owned of one article in one region."""

    sku: T.StringType = column(doc="the article", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False)
    financial_quantity: T.LongType = column(doc="pieces in the books", nullable=False)
    as_of: T.TimestampType = column(doc="when the books were closed")

    class Config:
        """Where the rows come from."""

        metadata = table("finance", "stock_ledger", key=["sku", "region"])
