"""What the new side's service tells of orders: the events of the domain, with the ERP's values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cutline_translators.retail.estate.trading.native import NativeProducer, moment_text


@dataclass(frozen=True)
class PlacedLine:
    """A line of an order; `price` is that of one unit, in cents."""

    number: int
    sku: str
    quantity: int
    price: int


def tell_placed(
    native: NativeProducer,
    order_no: str,
    region: str,
    customer: str,
    currency: str,
    total: int,
    at: dt.datetime,
    lines: Sequence[PlacedLine],
    needs: Mapping[str, Sequence[Mapping[str, Any]]],
) -> None:
    """An order has been placed, with its lines. `needs` is by article what one unit draws."""
    order = {
        "cart_no": None,
        "channel": "WEB",
        "currency": currency,
        "customer_no": customer,
        "placed_at": moment_text(at),
        "total_cents": total,
    }
    native.tell("customer_order", "OrderPlaced", order_no, region, order)
    for line in lines:
        data = {
            "line_no": line.number,
            "needs": list(needs[line.sku]),
            "order_no": order_no,
            "quantity": line.quantity,
            "region": region,
            "sku": line.sku,
        }
        subject = f"{order_no}/{line.number}"
        native.tell("fulfilment_line", "LineOrdered", subject, region, data)


def tell_allocated(
    native: NativeProducer, order_no: str, region: str, lines: Sequence[PlacedLine]
) -> None:
    """Stock has been set aside for lines, none of which is a bundle."""
    for line in lines:
        data: dict[str, Any] = {"line_no": line.number, "order_no": order_no}
        subject = f"{order_no}/{line.number}"
        native.tell("fulfilment_line", "LineAllocated", subject, region, data)
        stock = data | {"quantity": line.quantity, "region": region, "sku": line.sku}
        native.tell(
            "reservable_inventory", "InventoryReserved", f"{region}/{line.sku}", region, stock
        )
