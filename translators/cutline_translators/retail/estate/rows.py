"""Orders and lines as columns of numbers: one place per row, NULL where the ERP holds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from cutline_translators.estate.chance import Bools
from cutline_translators.estate.columns import codes, words_at
from cutline_translators.estate.moments import Ints, iso
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.statuses import CHANNELS, LINE_STATUSES, STATUSES


@dataclass(frozen=True)
class Orders:
    """Order headers; times in seconds since 1970."""

    number: Ints
    region: Ints
    channel: Ints
    customer: Ints
    status: Ints
    total: Ints
    ordered: Ints
    booked: Ints
    allocated: Ints
    released: Ints
    closed: Ints
    cancelled: Ints
    updated: Ints


@dataclass(frozen=True)
class OrderLines:
    """Order lines; `owner` is the place of the header among the orders, below 0 for orphans."""

    owner: Ints
    number: Ints
    line: Ints
    region: Ints
    sku: Ints
    quantity: Ints
    price: Ints
    status: Ints
    ordered: Ints
    allocated: Ints
    shipped: Ints
    cancelled: Ints


Rows = TypeVar("Rows", Orders, OrderLines)


def take_rows(rows: Rows, places: Ints | Bools) -> Rows:
    """The rows at some places."""
    some: dict[str, Any] = {f.name: getattr(rows, f.name)[places] for f in fields(rows)}
    return replace(rows, **some)


def concat_rows(parts: Sequence[Rows]) -> Rows:
    """The concatenated rows of several parts."""
    names = [f.name for f in fields(parts[0])]
    return replace(parts[0], **{n: np.concatenate([getattr(p, n) for p in parts]) for n in names})


def order_number(numbers: Ints) -> pa.Array:
    """`SO-00000001`."""
    return codes("SO", numbers, 8)


def orders_table(orders: Orders) -> pa.Table:
    """The rows of the ERP's `orders`."""
    return pa.table(
        {
            "order_no": order_number(orders.number),
            "region": words_at(REGIONS, orders.region),
            "channel": words_at(CHANNELS, orders.channel),
            "customer_no": codes("C", orders.customer, 7),
            "status": words_at(STATUSES, orders.status),
            "currency": words_at(("EUR", "USD"), orders.region),
            "total_cents": pa.array(orders.total),
            "ordered_at": iso(orders.ordered),
            "booked_at": iso(orders.booked),
            "allocated_at": iso(orders.allocated),
            "released_at": iso(orders.released),
            "closed_at": iso(orders.closed),
            "cancelled_at": iso(orders.cancelled),
            "updated_at": iso(orders.updated),
        }
    )


def lines_table(lines: OrderLines, catalogue: Catalogue) -> pa.Table:
    """The rows of the ERP's `order_lines`."""
    return pa.table(
        {
            "order_no": order_number(lines.number),
            "line_no": pa.array(lines.line),
            "region": words_at(REGIONS, lines.region),
            "sku": catalogue.names(lines.sku),
            "quantity": pa.array(lines.quantity),
            "unit_price_cents": pa.array(lines.price),
            "line_status": words_at(LINE_STATUSES, lines.status),
            "ordered_at": iso(lines.ordered),
            "allocated_at": iso(lines.allocated),
            "shipped_at": iso(lines.shipped),
            "cancelled_at": iso(lines.cancelled),
        }
    )
