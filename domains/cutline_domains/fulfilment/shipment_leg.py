"""Shipment Leg: one parcel on its way with one carrier."""

from __future__ import annotations

import datetime as dt

from cutline.context import Aggregate, Event, furthest_of_types, latest, requires

DISPATCHED, DELIVERED = "dispatched", "delivered"


class ShipmentDispatched(Event):
    """The carrier has taken the parcel. `dispatched_at` is null where nobody wrote it down."""

    order_no: str
    carrier: str
    dispatched_at: dt.datetime | None = None


class ShipmentDelivered(Event):
    """The parcel has reached the customer."""

    order_no: str


SHIPMENT_LEG = Aggregate(
    name="shipment_leg",
    doc="One parcel with one carrier; its subject is the shipment number.",
    events=(ShipmentDispatched, ShipmentDelivered),
    state={
        "status": furthest_of_types({ShipmentDispatched: DISPATCHED, ShipmentDelivered: DELIVERED}),
        "order_no": latest("order_no", ShipmentDispatched),
        "carrier": latest("carrier", ShipmentDispatched),
        "dispatched_at": latest("dispatched_at", ShipmentDispatched),
    },
    order=(requires(ShipmentDelivered, first=ShipmentDispatched),),
)
