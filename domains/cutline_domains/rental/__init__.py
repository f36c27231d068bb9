"""Rental: films that customers take home, bring back and pay for."""

from cutline_domains.rental.context import RENTAL_CONTEXT
from cutline_domains.rental.rental import (
    OUT,
    RENTAL,
    RETURNED,
    PaymentReceived,
    PaymentWithdrawn,
    RentalReturned,
    RentalStarted,
    RentalWithdrawn,
)

__all__ = [
    "OUT",
    "RENTAL",
    "RENTAL_CONTEXT",
    "RETURNED",
    "PaymentReceived",
    "PaymentWithdrawn",
    "RentalReturned",
    "RentalStarted",
    "RentalWithdrawn",
]
