"""Order lines, second reading: a bundle reserves its components."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from cutline.translator import Each, Occurrence, each, fact
from cutline_domains.fulfilment import FULFILMENT, InventoryReserved, ReservationEnded
from cutline_translators.retail.lines import LineFacts, ended_at, is_over, needs, was_allocated


class ErpLines(LineFacts):
    """Reserves each article that the line draws from stock: of a bundle, its components."""

    context, aggregate, version = FULFILMENT, "fulfilment_line", "2.0.0"

    @fact(InventoryReserved, transient=True)
    def reserved(self, row: Any) -> Each:
        return each(
            needs(row),
            lambda need: Occurrence(
                when=was_allocated(row),
                at=row.allocated_at,
                subject=(row.region, need.sku),
                data=_reservation(row, need),
            ),
        )

    @fact(ReservationEnded)
    def reservation_ended(self, row: Any) -> Each:
        return each(
            needs(row),
            lambda need: Occurrence(
                when=is_over(row),
                at=ended_at(row),
                subject=(row.region, need.sku),
                data=_reservation(row, need),
            ),
        )


def _reservation(row: Any, need: Any) -> dict[str, Column]:
    return {
        "region": row.region,
        "sku": need.sku,
        "order_no": row.order_no,
        "line_no": row.line_no,
        "quantity": row.quantity * need.quantity,
    }
