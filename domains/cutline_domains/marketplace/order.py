"""Order: one purchase, from the customer's click to the customer's door."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    excludes,
    expects,
    furthest_of_types,
    latest,
    unit,
)


class OrderPlaced(Event):
    """A customer has ordered.

    `amount_due` is what all items and their freight cost together, in reais with two decimals;
    null for an order without items. `customer_state` is the customer's federal state.
    """

    customer_state: str | None = None
    amount_due: Annotated[Decimal, unit("BRL"), Field(max_digits=14, decimal_places=2)] | None = (
        None
    )


class PaymentApproved(Event):
    """The payment for the order has been approved."""


class OrderHandedToCarrier(Event):
    """The carrier has the parcel."""


class OrderDelivered(Event):
    """The customer has the parcel."""


class OrderUnavailable(Event):
    """The order cannot be fulfilled: what was bought is not to be had."""


class OrderCancelled(Event):
    """The order was called off."""


# Nothing is required of these times, for history broke every order: parcels were handed over
# before they were approved, some before they were bought.
ORDER = Aggregate(
    name="order",
    doc="One purchase; its subject is the order's id.",
    events=(
        OrderPlaced,
        PaymentApproved,
        OrderHandedToCarrier,
        OrderDelivered,
        OrderUnavailable,
        OrderCancelled,
    ),
    state={
        "status": furthest_of_types(
            {
                OrderPlaced: "created",
                PaymentApproved: "approved",
                OrderHandedToCarrier: "shipped",
                OrderDelivered: "delivered",
                OrderUnavailable: "unavailable",
                OrderCancelled: "canceled",
            }
        ),
        "customer_state": latest("customer_state", OrderPlaced),
        "amount_due": latest("amount_due", OrderPlaced),
    },
    order=(
        expects(OrderHandedToCarrier, first=PaymentApproved, rule="handed-over-before-approval"),
        expects(
            OrderDelivered,
            first=PaymentApproved,
            rule="delivered-before-approval",
            missing="delivered-never-approved",
        ),
        excludes(OrderCancelled, other=OrderHandedToCarrier, rule="cancelled-after-hand-over"),
    ),
)
