"""Order items, as Olist publishes them."""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class OrderItem(SourceContract):
    """One piece of one order; three of a kind are three rows."""

    order_id: T.StringType = column(doc="the order", nullable=False)
    order_item_id: T.LongType = column(doc="the piece within the order, from 1", nullable=False)
    product_id: T.StringType = column(doc="what was bought")
    seller_id: T.StringType = column(doc="who sold it")
    shipping_limit_date: T.TimestampType = column(doc="when the seller must have shipped it")
    price: Annotated[T.DecimalType, 12, 2] = column(
        doc="its price, in reais", stable=True, nullable=False
    )
    freight_value: Annotated[T.DecimalType, 12, 2] = column(
        doc="its share of the freight, in reais", stable=True, nullable=False
    )

    class Config:
        """Where the rows come from."""

        metadata = table("olist", "order_items", key=["order_id", "order_item_id"])
