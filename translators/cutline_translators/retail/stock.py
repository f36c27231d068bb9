"""Counted stock of the stores."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact
from cutline_domains.fulfilment import FULFILMENT, StockCounted
from cutline_translators.retail.contracts import Stock


class StoreStock(Translator):
    """The latest count of an article: history of its stock begins there."""

    context, aggregate, version = FULFILMENT, "reservable_inventory", "1.0.0"
    source, subject = Stock, ("region", "sku")

    @fact(StockCounted)
    def counted(self, row: Any) -> Occurrence:
        return Occurrence(
            when=F.lit(True),
            at=row.counted_at,
            data={"region": row.region, "sku": row.sku, "quantity": row.physical_quantity},
        )
