"""Parcels, as the warehouse reports them."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, ambiguous, fact, ignore
from cutline_domains.fulfilment import FULFILMENT, ShipmentDelivered, ShipmentDispatched
from cutline_translators.retail.contracts import Shipment


class WarehouseShipments(Translator):
    """The facts of a parcel; a delivered one was dispatched before."""

    context, aggregate, version = FULFILMENT, "shipment_leg", "1.0.0"
    source, subject = Shipment, "shipment_no"

    @ignore("only-labelled")
    def only_labelled(self, row: Any) -> Any:
        """A label was printed; nothing has moved yet."""
        return row.status == "LABELLED"

    @ambiguous("delivered-before-dispatched")
    def delivered_before_dispatched(self, row: Any) -> Any:
        """The parcel arrived before it left: one of the two times is wrong, nobody knows which."""
        # A parcel that arrived at a known time and left at none has no place in time either.
        left = F.coalesce(row.dispatched_at, F.lit("9999-12-31").cast("timestamp"))
        return (row.status == "DELIVERED") & (row.delivered_at < left)

    @fact(ShipmentDispatched)
    def dispatched(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin("DISPATCHED", "DELIVERED"),
            at=row.dispatched_at,
            data={
                "order_no": row.order_no,
                "carrier": row.carrier,
                "dispatched_at": row.dispatched_at,
            },
        )

    @fact(ShipmentDelivered)
    def delivered(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == "DELIVERED",
            at=row.delivered_at,
            data={"order_no": row.order_no},
        )
