"""ERP: what a bundle consists of."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class BundleComponent(SourceContract):
    """One article within one bundle; the same in all regions."""

    bundle_sku: T.StringType = column(doc="the bundle", nullable=False)
    component_sku: T.StringType = column(doc="the article in it", nullable=False)
    quantity: T.LongType = column(
        doc="pieces of the article in one bundle", stable=True, nullable=False, ge=1
    )

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "bundle_components", key=["bundle_sku", "component_sku"])
