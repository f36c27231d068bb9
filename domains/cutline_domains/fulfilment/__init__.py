"""Fulfilment: from an order that was placed to a parcel that has arrived."""

from cutline_domains.fulfilment.context import FULFILMENT
from cutline_domains.fulfilment.customer_order import (
    CUSTOMER_ORDER,
    OrderCancelled,
    OrderCompleted,
    OrderPlaced,
    OrderReleasedToWarehouse,
    PaymentCaptured,
    PaymentRefunded,
)
from cutline_domains.fulfilment.exception_hold import EXCEPTION_HOLD, ExceptionHoldPlaced
from cutline_domains.fulfilment.fulfilment_line import (
    FULFILMENT_LINE,
    LineAllocated,
    LineCancelled,
    LineOrdered,
    LineShipped,
    Need,
)
from cutline_domains.fulfilment.reservable_inventory import (
    RESERVABLE_INVENTORY,
    InventoryReserved,
    ReservationEnded,
    StockAdjusted,
    StockBooked,
    StockCounted,
)
from cutline_domains.fulfilment.shipment_leg import (
    SHIPMENT_LEG,
    ShipmentDelivered,
    ShipmentDispatched,
)

__all__ = [
    "CUSTOMER_ORDER",
    "EXCEPTION_HOLD",
    "FULFILMENT",
    "FULFILMENT_LINE",
    "RESERVABLE_INVENTORY",
    "SHIPMENT_LEG",
    "ExceptionHoldPlaced",
    "InventoryReserved",
    "LineAllocated",
    "LineCancelled",
    "LineOrdered",
    "LineShipped",
    "Need",
    "OrderCancelled",
    "OrderCompleted",
    "OrderPlaced",
    "OrderReleasedToWarehouse",
    "PaymentCaptured",
    "PaymentRefunded",
    "ReservationEnded",
    "ShipmentDelivered",
    "ShipmentDispatched",
    "StockAdjusted",
    "StockBooked",
    "StockCounted",
]
