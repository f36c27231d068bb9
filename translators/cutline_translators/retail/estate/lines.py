"""Order lines at the extract."""

from __future__ import annotations

import numpy as np

from cutline_translators.estate.chance import Bools, rare_places
from cutline_translators.estate.moments import NULL, Ints
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.orders import DraftedOrders
from cutline_translators.retail.estate.rows import OrderLines, Orders, concat_rows, take_rows
from cutline_translators.retail.estate.statuses import (
    ALLOCATED,
    BOOKED,
    CANCELLED,
    CLOSED,
    FIRST_ELSEWHERE,
    FIRST_HOLD,
    FIRST_UNREADABLE,
    LINE_ALLOCATED,
    LINE_CANCELLED,
    LINE_OPEN,
    LINE_SHIPPED,
    NEW,
    RELEASED,
    STATUSES,
    TESTO,
)

BUNDLES = 0.026
"""Share of lines that sell a bundle."""
ORPHAN_LINE = 0.0003
NEGATIVE_QUANTITY = 0.0003
STOCK_LEAK = 0.0003
TIME_UNKNOWN = 0.002
FIRST_ORPHAN = 90_000_000
"""The first of the order numbers that the ERP does not have."""

_COUNTS = (0.35, 0.30, 0.20, 0.10, 0.05)
# Shares of OPEN, ALLOCATED and SHIPPED lines by the order's status; the rest is CANCELLED.
_SHARES = np.zeros((len(STATUSES), 3))
_SHARES[NEW] = (1, 0, 0)
_SHARES[BOOKED] = (0.85, 0.15, 0)
_SHARES[ALLOCATED] = (0, 1, 0)
_SHARES[RELEASED] = (0, 0.7, 0.3)
_SHARES[CLOSED] = (0, 0, 0.97)
_SHARES[CANCELLED] = (0, 0, 0)
_SHARES[FIRST_HOLD:FIRST_ELSEWHERE] = (0.7, 0.3, 0)
_SHARES[FIRST_ELSEWHERE:TESTO] = (0.3, 0.25, 0.45)
_SHARES[FIRST_UNREADABLE:] = (0.4, 0.3, 0.3)


def quantities(rng: np.random.Generator, count: int) -> Ints:
    """Units per line: mostly one, at most four."""
    drawn: Ints = 1 + np.searchsorted([0.7, 0.9, 0.97], rng.random(count))
    return drawn


def articles(rng: np.random.Generator, count: int, items: Catalogue) -> Ints:
    """An article per line, now and then a bundle."""
    bundle = rng.integers(items.simple, items.simple + items.bundles, count)
    return np.where(rng.random(count) < BUNDLES, bundle, rng.integers(0, items.simple, count))


def line_counts(rng: np.random.Generator, count: int) -> Ints:
    """Lines per order, one to five."""
    drawn: Ints = 1 + np.searchsorted(np.cumsum(_COUNTS)[:-1], rng.random(count))
    return drawn


def draft_lines(
    rng: np.random.Generator, drafted: DraftedOrders, items: Catalogue, orphans: int, least: int
) -> OrderLines:
    """The lines of the orders, and orphans that are numbered from `orphans`.

    Test orders have none: monitoring writes a header only.
    """
    orders = drafted.orders
    count = np.where(orders.status == TESTO, 0, line_counts(rng, len(orders.number)))
    owner = np.repeat(np.arange(len(count)), count)
    status = _line_status(rng, orders.status[owner])
    _, _, allocated, released, closed = drafted.course[owner].T
    region = orders.region[owner]
    sku = articles(rng, len(owner), items)
    plain = drafted.readable[owner] & ~items.is_bundle(sku)
    # Stock that a cancelled order never gave back.
    leak = rare_places(
        rng,
        plain & (status == LINE_CANCELLED) & (orders.status[owner] == CANCELLED),
        region,
        STOCK_LEAK,
        least,
    )
    status[leak] = LINE_ALLOCATED
    was_allocated = np.isin(status, (LINE_ALLOCATED, LINE_SHIPPED)) | (
        (status == LINE_CANCELLED) & (rng.random(len(owner)) < 0.4)
    )
    shipped = released + (rng.random(len(owner)) * (closed - released)).astype(np.int64)
    cancelled = np.where(orders.status[owner] == CLOSED, np.minimum(released, closed), closed)
    lines = OrderLines(
        owner=owner,
        number=orders.number[owner],
        line=np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count) + 1,
        region=region,
        sku=sku,
        quantity=quantities(rng, len(owner)),
        price=items.price[sku],
        status=status,
        ordered=drafted.course[owner, 0],
        allocated=np.where(was_allocated, allocated, NULL),
        shipped=np.where(status == LINE_SHIPPED, shipped, NULL),
        cancelled=np.where(status == LINE_CANCELLED, cancelled, NULL),
    )
    _ensure_reserved_bundles(lines, items)
    bundle = items.is_bundle(lines.sku)
    lines.price[:] = items.price[lines.sku]
    negative = rare_places(
        rng,
        drafted.readable[owner] & ~bundle & (status == LINE_OPEN),
        region,
        NEGATIVE_QUANTITY,
        least,
    )
    lines.quantity[negative] *= -1
    for at, moments in ((LINE_ALLOCATED, lines.allocated), (LINE_SHIPPED, lines.shipped)):
        places = rare_places(rng, plain & ~bundle & (status == at), region, TIME_UNKNOWN / 3, least)
        moments[places] = NULL
    return concat_rows([lines, _orphans(rng, lines, items, orphans, least)])


def totals(orders: Orders, lines: OrderLines) -> Ints:
    """The worth of each order in cents: the sum over its readable lines."""
    counted = (lines.owner >= 0) & (lines.quantity > 0)
    worth = (lines.quantity * lines.price)[counted]
    summed = np.bincount(lines.owner[counted], weights=worth, minlength=len(orders.number))
    return summed.astype(np.int64)


def has_line(orders: Orders, lines: OrderLines, selected: Bools) -> Bools:
    """Whether each order has one of the `selected` lines."""
    owned = selected & (lines.owner >= 0)
    hits: Bools = np.bincount(lines.owner[owned], minlength=len(orders.number)) > 0
    return hits


def _line_status(rng: np.random.Generator, order_status: Ints) -> Ints:
    limits = np.cumsum(_SHARES[order_status], axis=1)
    drawn = rng.random(len(order_status))[:, None]
    status: Ints = (drawn >= limits).sum(axis=1)
    return status


def _ensure_reserved_bundles(lines: OrderLines, items: Catalogue) -> None:
    """Even the smallest estate reserves a bundle in each region."""
    for region in range(2):
        reserved = (lines.status == LINE_ALLOCATED) & (lines.region == region)
        places = np.flatnonzero(reserved & (lines.allocated != NULL))
        if len(places) and not items.is_bundle(lines.sku[places]).any():
            lines.sku[places[len(places) // 2]] = items.simple + region


def _orphans(
    rng: np.random.Generator, lines: OrderLines, items: Catalogue, first: int, least: int
) -> OrderLines:
    """Copies of some lines under order numbers that the ERP no longer has."""
    plain = ~items.is_bundle(lines.sku) & (lines.quantity > 0)
    eligible = plain & np.isin(lines.status, (LINE_OPEN, LINE_ALLOCATED))
    places = rare_places(rng, eligible, lines.region, ORPHAN_LINE, least)
    orphans = take_rows(lines, places)
    orphans.owner[:] = -1
    orphans.number[:] = first + np.arange(len(places))
    orphans.line[:] = 1
    return orphans
