"""Order lines, first reading: a line reserves its own article."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from cutline.translator import Occurrence, fact
from cutline_domains.fulfilment import FULFILMENT, InventoryReserved, ReservationEnded
from cutline_translators.retail.lines import LineFacts, ended_at, is_over, was_allocated


class ErpLinesV1(LineFacts):
    """Reserves the article of the line, bundle or not, as the ERP's screen shows it."""

    context, aggregate, version = FULFILMENT, "fulfilment_line", "1.0.0"

    @classmethod
    def name(cls) -> str:
        """The name that all versions of this translator have in lineage."""
        return "erp-lines"

    @fact(InventoryReserved, transient=True)
    def reserved(self, row: Any) -> Occurrence:
        return Occurrence(
            when=was_allocated(row),
            at=row.allocated_at,
            subject=(row.region, row.sku),
            data=_reservation(row),
        )

    @fact(ReservationEnded)
    def reservation_ended(self, row: Any) -> Occurrence:
        return Occurrence(
            when=is_over(row),
            at=ended_at(row),
            subject=(row.region, row.sku),
            data=_reservation(row),
        )


def _reservation(row: Any) -> dict[str, Column]:
    return {
        "region": row.region,
        "sku": row.sku,
        "order_no": row.order_no,
        "line_no": row.line_no,
        "quantity": row.quantity,
    }
