"""Nightly corrections of stock."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact, ignore, lookup
from cutline_domains.fulfilment import FULFILMENT, StockAdjusted
from cutline_translators.retail.contracts import Adjustment, Stock


class StockAdjustments(Translator):
    """Corrections since the latest count; earlier ones are included in the count."""

    context, aggregate, version = FULFILMENT, "reservable_inventory", "1.0.0"
    source, subject = Adjustment, ("region", "sku")

    count = lookup(Stock, on=("sku", "region"))

    @ignore("already-counted")
    def already_counted(self, row: Any) -> Any:
        """The article was counted after this correction, so the count has it already."""
        return row.booked_at <= row.count.counted_at

    @fact(StockAdjusted)
    def adjusted(self, row: Any) -> Occurrence:
        return Occurrence(
            when=F.lit(True),
            at=row.booked_at,
            data={
                "adjustment_no": row.adjustment_no,
                "region": row.region,
                "sku": row.sku,
                "delta": row.delta,
                "reason": row.reason,
            },
        )
