"""Picks: the stock that stores have set aside for order lines, article by article."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column

from cutline.translator import COMMIT, Occurrence, Translator, fact, ignore, lookup, reject
from cutline_domains.fulfilment import FULFILMENT, InventoryReserved, ReservationEnded
from cutline_translators.retail.contracts import ErpOrder, ErpOrderLine, Pick


class StorePicks(Translator):
    """A store reserves the articles that it is to pick; of a bundle these are the components."""

    context, aggregate, version = FULFILMENT, "reservable_inventory", "1.0.0"
    source, subject = Pick, ("region", "sku")

    order = lookup(ErpOrder, on="order_no")
    line = lookup(ErpOrderLine, on=("order_no", "line_no"))

    @reject("orphan-pick")
    def orphan_pick(self, row: Any) -> Any:
        """The order line that the store picks for does not exist in the ERP."""
        return row.line.order_no.isNull() | row.order.order_no.isNull()

    @ignore("short-pick")
    def short_pick(self, row: Any) -> Any:
        """The store did not find the pieces, so it set nothing aside."""
        return row.status == "SHORT"

    @fact(InventoryReserved)
    def reserved(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin("ALLOCATED", "PICKED"),
            at=row.allocated_at,
            data=_reservation(row),
        )

    @fact(ReservationEnded)
    def reservation_ended(self, row: Any) -> Occurrence:
        # The store keeps no time of the picking.
        picked = row.status == "PICKED"
        return Occurrence(when=picked, time_basis=COMMIT, data=_reservation(row))


def _reservation(row: Any) -> dict[str, Column]:
    return {
        "region": row.region,
        "sku": row.sku,
        "order_no": row.order_no,
        "line_no": row.line_no,
        "quantity": row.quantity,
    }
