"""Customers, as Olist publishes them."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Customer(SourceContract):
    """One customer as one order knows them; a person who buys twice is two rows."""

    customer_id: T.StringType = column(doc="the customer of one order", nullable=False)
    customer_unique_id: T.StringType = column(doc="the person", personal=True)
    customer_zip_code_prefix: T.StringType = column(doc="where they live", personal=True)
    customer_city: T.StringType = column(doc="where they live", personal=True)
    customer_state: T.StringType = column(
        doc="the federal state they live in, such as SP", stable=True
    )

    class Config:
        """Where the rows come from."""

        metadata = table("olist", "customers", key=["customer_id"])
