"""Customer Order: what a customer asked for, and how far it has come."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    excludes,
    expects,
    furthest_of_types,
    latest,
    personal,
    requires,
    total,
    unit,
)

PLACED, RELEASED, COMPLETED, CANCELLED = "placed", "released", "completed", "cancelled"


class OrderPlaced(Event):
    """A customer has placed an order.

    `total_cents` is the order's value in cents of `currency`, as it was when placed.
    `cart_no` is the shopping cart it came from; null for orders that had none.
    """

    channel: Literal["WEB", "STORE", "PHONE"]
    customer_no: Annotated[str, personal]
    currency: str
    total_cents: Annotated[int, unit("cents"), Field(ge=0)]
    placed_at: dt.datetime
    cart_no: str | None = None


class PaymentCaptured(Event):
    """Money has been taken for the order: `amount_cents`, in cents of the order's currency."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment_no",)

    payment_no: str
    method: str
    amount_cents: Annotated[int, unit("cents"), Field(ge=0)]


class PaymentRefunded(Event):
    """A captured payment has been given back whole: `amount_cents`, in cents."""

    identified_by: ClassVar[tuple[str, ...]] = ("payment_no",)

    payment_no: str
    amount_cents: Annotated[int, unit("cents"), Field(ge=0)]


class OrderReleasedToWarehouse(Event):
    """The order may be picked and packed: the warehouse has it."""

    order_no: str


class OrderCompleted(Event):
    """Everything that the order promised has been done."""

    order_no: str


class OrderCancelled(Event):
    """The order will not be fulfilled any further."""

    order_no: str


CUSTOMER_ORDER = Aggregate(
    name="customer_order",
    doc="What a customer asked for; its subject is the order number.",
    events=(
        OrderPlaced,
        PaymentCaptured,
        OrderReleasedToWarehouse,
        OrderCompleted,
        OrderCancelled,
        PaymentRefunded,
    ),
    state={
        "status": furthest_of_types(
            {
                OrderPlaced: PLACED,
                OrderReleasedToWarehouse: RELEASED,
                OrderCompleted: COMPLETED,
                OrderCancelled: CANCELLED,
            }
        ),
        "channel": latest("channel", OrderPlaced),
        "total_cents": latest("total_cents", OrderPlaced),
        "placed_at": latest("placed_at", OrderPlaced),
        "paid_cents": total("amount_cents", [PaymentCaptured], [PaymentRefunded]),
    },
    order=(
        requires(PaymentCaptured, first=OrderPlaced),
        requires(OrderReleasedToWarehouse, first=OrderPlaced),
        requires(OrderCompleted, first=OrderPlaced),
        requires(OrderCancelled, first=OrderPlaced),
        requires(PaymentRefunded, first=PaymentCaptured),
        expects(
            OrderCompleted,
            first=OrderReleasedToWarehouse,
            rule="completed-before-release",
            missing="completed-without-release",
        ),
        excludes(OrderCancelled, other=OrderCompleted, rule="cancelled-and-completed"),
    ),
)
