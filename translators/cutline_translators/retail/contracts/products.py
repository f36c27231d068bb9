"""ERP: articles."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Product(SourceContract):
    """One article, or one bundle that is sold as a unit; the same in all regions."""

    sku: T.StringType = column(
        doc="the article, such as SKU-00001, or the bundle, such as BND-0001", nullable=False
    )
    name: T.StringType = column(doc="what people call it")
    kind: T.StringType = column(
        doc="SIMPLE or BUNDLE", stable=True, nullable=False, isin=["SIMPLE", "BUNDLE"]
    )
    price_cents: T.LongType = column(doc="price of one unit, in cents")
    active: T.LongType = column(doc="1 while it is sold, else 0")

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "products", key=["sku"])
