"""Marketplace: purchases from many sellers, from the click to the door."""

from cutline_domains.marketplace.context import MARKETPLACE
from cutline_domains.marketplace.order import (
    ORDER,
    OrderCancelled,
    OrderDelivered,
    OrderHandedToCarrier,
    OrderPlaced,
    OrderUnavailable,
    PaymentApproved,
)

__all__ = [
    "MARKETPLACE",
    "ORDER",
    "OrderCancelled",
    "OrderDelivered",
    "OrderHandedToCarrier",
    "OrderPlaced",
    "OrderUnavailable",
    "PaymentApproved",
]
