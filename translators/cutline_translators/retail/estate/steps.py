"""Steps in the life of orders after the extract: each is one transaction in the ERP."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cutline_translators.estate.chance import Bools
from cutline_translators.estate.moments import NULL, Ints
from cutline_translators.retail.estate.rows import OrderLines, Orders, take_rows
from cutline_translators.retail.estate.statuses import (
    ALLOCATED,
    BOOKED,
    CANCELLED,
    CLOSED,
    LINE_ALLOCATED,
    LINE_CANCELLED,
    LINE_OPEN,
    LINE_SHIPPED,
    RELEASED,
)


@dataclass(frozen=True)
class OrderStep:
    """One transaction per order: its header before and after, and the lines that it touched.

    `commit` is when each transaction committed; `created` says that the rows are new, and then
    the images before mean nothing. Lines' `owner` is the place in these orders.
    """

    orders_before: Orders
    orders_after: Orders
    lines_before: OrderLines
    lines_after: OrderLines
    commit: Ints
    created: bool = False


def select_orders(orders: Orders, lines: OrderLines, places: Ints) -> tuple[Orders, OrderLines]:
    """Some orders with their lines, whose owners are renumbered."""
    place_of = np.full(len(orders.number), NULL, dtype=np.int64)
    place_of[places] = np.arange(len(places))
    owned = lines.owner >= 0
    owned[owned] = place_of[lines.owner[owned]] >= 0
    some = take_rows(lines, owned)
    return take_rows(orders, places), replace(some, owner=place_of[some.owner])


def creation_step(orders: Orders, lines: OrderLines, commit: Ints) -> OrderStep:
    """The step that inserts the orders with all their lines."""
    return OrderStep(orders, orders, lines, lines, commit, created=True)


def status_step(
    orders: Orders, lines: OrderLines, status: Ints, at: Ints, commit: Ints
) -> OrderStep:
    """The step that gives each order a status at a business time, and its lines theirs."""

    def becomes(value: int) -> Bools:
        hit: Bools = status == value
        return hit

    after = replace(
        orders,
        status=status,
        booked=np.where(
            (becomes(BOOKED) | becomes(ALLOCATED)) & (orders.booked == NULL), at, orders.booked
        ),
        allocated=np.where(becomes(ALLOCATED), at, orders.allocated),
        released=np.where(becomes(RELEASED), at, orders.released),
        closed=np.where(becomes(CLOSED), at, orders.closed),
        cancelled=np.where(becomes(CANCELLED), at, orders.cancelled),
        updated=commit,
    )
    to, moment = status[lines.owner], at[lines.owner]
    is_open, is_allocated = lines.status == LINE_OPEN, lines.status == LINE_ALLOCATED
    allocates = (to == ALLOCATED) & is_open
    ships = (to == CLOSED) & is_allocated
    cancels = (to == CANCELLED) & (is_open | is_allocated)
    lines_after = replace(
        lines,
        status=np.select(
            [allocates, ships, cancels],
            [LINE_ALLOCATED, LINE_SHIPPED, LINE_CANCELLED],
            lines.status,
        ),
        allocated=np.where(allocates, moment, lines.allocated),
        shipped=np.where(ships, moment, lines.shipped),
        cancelled=np.where(cancels, moment, lines.cancelled),
    )
    touched = allocates | ships | cancels
    return OrderStep(
        orders, after, take_rows(lines, touched), take_rows(lines_after, touched), commit
    )


def lines_after_step(lines: OrderLines, step: OrderStep) -> OrderLines:
    """The lines of a step's orders after it."""
    key, changed = _key(lines), _key(step.lines_after)
    order = np.argsort(changed)
    at = np.searchsorted(changed[order], key)
    at = np.minimum(at, max(len(changed) - 1, 0))
    hit = changed[order][at] == key if len(changed) else np.zeros(len(key), dtype=np.bool_)
    after = take_rows(lines, np.arange(len(key)))
    places = order[at[hit]] if len(changed) else np.empty(0, dtype=np.int64)
    for name in ("status", "allocated", "shipped", "cancelled"):
        getattr(after, name)[hit] = getattr(step.lines_after, name)[places]
    return after


def _key(lines: OrderLines) -> Ints:
    return lines.number * 1000 + lines.line
