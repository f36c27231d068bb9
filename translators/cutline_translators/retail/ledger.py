"""Stock as finance books it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact
from cutline_domains.fulfilment import FULFILMENT, StockBooked
from cutline_translators.retail.contracts import StockLedger


class FinanceLedger(Translator):
    """The booked quantity of an article, which may differ from the counted one."""

    context, aggregate, version = FULFILMENT, "reservable_inventory", "1.0.0"
    source, subject = StockLedger, ("region", "sku")

    @fact(StockBooked)
    def booked(self, row: Any) -> Occurrence:
        return Occurrence(
            when=F.lit(True),
            at=row.as_of,
            data={"region": row.region, "sku": row.sku, "quantity": row.financial_quantity},
        )
