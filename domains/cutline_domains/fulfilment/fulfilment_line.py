"""Fulfilment Line: one article of an order, and what it draws from stock."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cutline.context import (
    Aggregate,
    Event,
    ValueObject,
    count,
    furthest_of_types,
    latest,
    part_of,
    requires,
    unit,
)

ORDERED, SHIPPED, CANCELLED = "ordered", "shipped", "cancelled"


class Need(ValueObject):
    """What one unit of a line draws from stock: `quantity` pieces of `sku`."""

    sku: str
    quantity: Annotated[int, unit("pieces"), Field(gt=0)]


class LineOrdered(Event):
    """A line of an order asks for `quantity` units of `sku`.

    `needs` is what one unit draws from stock: the article itself, or the components of a bundle.
    """

    order_no: str
    line_no: int
    region: str
    sku: str
    quantity: Annotated[int, unit("pieces"), Field(gt=0)]
    needs: list[Need]


class LineAllocated(Event):
    """Stock has been set aside for the line; from now on it waits for nothing but the warehouse."""

    order_no: str
    line_no: int


class LineShipped(Event):
    """The line has left the house."""

    order_no: str
    line_no: int


class LineCancelled(Event):
    """The line will not be shipped."""

    order_no: str
    line_no: int


FULFILMENT_LINE = Aggregate(
    name="fulfilment_line",
    doc="One article of an order; its subject is the order number and the line number.",
    events=(LineOrdered, LineAllocated, LineShipped, LineCancelled),
    state={
        "status": furthest_of_types(
            {LineOrdered: ORDERED, LineShipped: SHIPPED, LineCancelled: CANCELLED}
        ),
        "order_no": latest("order_no", LineOrdered),
        "region": latest("region", LineOrdered),
        "sku": latest("sku", LineOrdered),
        "quantity": latest("quantity", LineOrdered),
        "needs": latest("needs", LineOrdered),
        "allocations": count(LineAllocated),
    },
    order=(
        requires(LineAllocated, first=LineOrdered),
        requires(LineShipped, first=LineOrdered),
        requires(LineCancelled, first=LineOrdered),
    ),
    part_of=part_of("customer_order", by="order_no"),
)
