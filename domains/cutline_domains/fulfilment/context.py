"""The bounded context: its aggregates, and the decisions it is judged by."""

from __future__ import annotations

from cutline.context import Context
from cutline_domains.fulfilment.customer_order import CUSTOMER_ORDER
from cutline_domains.fulfilment.exception_hold import EXCEPTION_HOLD
from cutline_domains.fulfilment.fulfilment_line import FULFILMENT_LINE
from cutline_domains.fulfilment.outcomes import OUTCOMES
from cutline_domains.fulfilment.reservable_inventory import RESERVABLE_INVENTORY
from cutline_domains.fulfilment.shipment_leg import SHIPMENT_LEG

FULFILMENT = Context(
    name="fulfilment",
    doc="From an order that was placed to a parcel that has arrived.",
    aggregates=(
        CUSTOMER_ORDER,
        FULFILMENT_LINE,
        RESERVABLE_INVENTORY,
        SHIPMENT_LEG,
        EXCEPTION_HOLD,
    ),
    outcomes=OUTCOMES,
)
