"""Orders after the extract; some of them are in the live topics as well."""

from __future__ import annotations

import numpy as np

from cutline_translators.estate.moments import (
    CUT,
    END,
    EXTRACT,
    LIVE_START,
    MINUTE,
    NULL,
    Ints,
)
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.lines import articles, line_counts, quantities, totals
from cutline_translators.retail.estate.orders import customer_of
from cutline_translators.retail.estate.rows import OrderLines, Orders
from cutline_translators.retail.estate.statuses import ALLOCATED, LINE_OPEN, NEW, WEB
from cutline_translators.retail.estate.steps import (
    OrderStep,
    creation_step,
    select_orders,
    status_step,
)

SHARE = 0.01
"""Orders that the ERP took in after the extract, by the orders in it; half of them beside the
live producer."""
AFTER_CUT = 0.002
"""Orders that only the live producer took in, after the cut."""


def newcomer_steps(
    rng: np.random.Generator, first: int, orders: int, customers: int, items: Catalogue
) -> tuple[list[OrderStep], list[OrderStep]]:
    """The steps of orders that came before the live producer, and of those beside it."""
    count = max(12, round(orders * SHARE / 2))
    alone = _steps(rng, first, count, customers, items, EXTRACT + MINUTE, LIVE_START - 10 * MINUTE)
    overlap = _steps(
        rng, first + count, count, customers, items, LIVE_START + 5, CUT - 5 * MINUTE, bundles=True
    )
    return alone, overlap


def orders_after_cut(
    rng: np.random.Generator, first: int, orders: int, customers: int, items: Catalogue
) -> tuple[Orders, OrderLines]:
    """Orders after the cut, which the ERP does not have."""
    count = max(4, round(orders * AFTER_CUT))
    return _new_orders(rng, first, count, customers, items, CUT + MINUTE, END - MINUTE)


def _steps(
    rng: np.random.Generator,
    first: int,
    count: int,
    customers: int,
    items: Catalogue,
    start: int,
    stop: int,
    bundles: bool = False,
) -> list[OrderStep]:
    orders, lines = _new_orders(rng, first, count, customers, items, start, stop, bundles)
    begin = creation_step(orders, lines, orders.ordered + rng.integers(1, 6, count))
    # Every third is allocated soon after; the first two, one in each region, have a bundle.
    some, its_lines = select_orders(orders, lines, np.arange(0, count, 3))
    commit = np.minimum(
        some.ordered + rng.integers(MINUTE, 30 * MINUTE, len(some.number)), CUT - MINUTE
    )
    at = commit - rng.integers(1, 30, len(commit))
    status = np.full(len(commit), ALLOCATED)
    return [begin, status_step(some, its_lines, status, at, commit)]


def _new_orders(
    rng: np.random.Generator,
    first: int,
    count: int,
    customers: int,
    items: Catalogue,
    start: int,
    stop: int,
    bundles: bool = True,
) -> tuple[Orders, OrderLines]:
    region = (rng.random(count) >= 0.6).astype(np.int64)
    region[:4] = (0, 1, 1, 1)
    ordered = np.sort(rng.integers(start, stop, count))
    lines_each = line_counts(rng, count)
    owner = np.repeat(np.arange(count), lines_each)
    sku = articles(rng, len(owner), items)
    first_line = np.cumsum(lines_each) - lines_each
    if bundles:
        sku[first_line[:4]] = items.simple + rng.integers(0, items.bundles, 4)
    else:
        sku = np.where(items.is_bundle(sku), sku % items.simple, sku)
    unknown = np.full(count, NULL, dtype=np.int64)
    orders = Orders(
        number=np.arange(first, first + count, dtype=np.int64),
        region=region,
        channel=np.full(count, WEB),
        customer=customer_of(rng, region, customers),
        status=np.full(count, NEW),
        total=np.zeros(count, dtype=np.int64),
        ordered=ordered,
        booked=unknown,
        allocated=unknown,
        released=unknown,
        closed=unknown,
        cancelled=unknown,
        updated=ordered,
    )
    nothing: Ints = np.full(len(owner), NULL, dtype=np.int64)
    lines = OrderLines(
        owner=owner,
        number=orders.number[owner],
        line=np.arange(len(owner)) - first_line[owner] + 1,
        region=region[owner],
        sku=sku,
        quantity=quantities(rng, len(owner)),
        price=items.price[sku],
        status=np.full(len(owner), LINE_OPEN),
        ordered=ordered[owner],
        allocated=nothing,
        shipped=nothing,
        cancelled=nothing,
    )
    orders.total[:] = totals(orders, lines)
    return orders, lines
