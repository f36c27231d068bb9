"""The status changes of orders around the extract and after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutline_translators.estate.chance import Bools, rare_places
from cutline_translators.estate.moments import (
    CUT,
    DAY,
    END,
    EXTRACT,
    HOUR,
    MINUTE,
    NULL,
    Ints,
)
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.lines import has_line
from cutline_translators.retail.estate.orders import DraftedOrders
from cutline_translators.retail.estate.rows import OrderLines, Orders, take_rows
from cutline_translators.retail.estate.statuses import (
    ALLOCATED,
    BOOKED,
    CANCELLED,
    CLOSED,
    FIRST_HOLD,
    HOLDS,
    LINE_ALLOCATED,
    LINE_OPEN,
    NEW,
    RELEASED,
)
from cutline_translators.retail.estate.steps import (
    OrderStep,
    lines_after_step,
    select_orders,
    status_step,
)

VISIBLE = 0.0015
"""Share of orders whose change is in the extract and in the change file as well."""


@dataclass(frozen=True)
class StatusMove:
    """A share of the orders with status `start` that take on the statuses of `way`, in order."""

    name: str
    start: int
    way: tuple[int, ...]
    share: float


MOVES = (
    StatusMove("book", NEW, (BOOKED,), 0.005),
    StatusMove("book-and-allocate", NEW, (BOOKED, ALLOCATED), 0.003),
    StatusMove("allocate", BOOKED, (ALLOCATED,), 0.005),
    StatusMove("release", ALLOCATED, (RELEASED,), 0.007),
    StatusMove("close", RELEASED, (CLOSED,), 0.005),
    StatusMove("cancel", NEW, (CANCELLED,), 0.002),
    StatusMove("hold", BOOKED, (FIRST_HOLD,), 0.002),
)
_TOUCHES_OPEN = {ALLOCATED, CANCELLED}
_TOUCHES_ALLOCATED = {CLOSED, CANCELLED}


def visible_in_extract(
    rng: np.random.Generator, drafted: DraftedOrders, lines: OrderLines, least: int
) -> tuple[OrderStep, Bools]:
    """The bookings that committed shortly before the extract, and whether each order is one.

    The orders are changed in place: the extract shows what the change did.
    """
    orders = drafted.orders
    mixed = has_line(orders, lines, lines.status == LINE_ALLOCATED)
    eligible = drafted.readable & (orders.status == BOOKED) & ~mixed
    places = rare_places(rng, eligible, orders.region, VISIBLE, least)
    commit = EXTRACT - rng.integers(60, 20 * MINUTE, len(places))
    orders.booked[places] = commit - rng.integers(1, 30, len(places))
    orders.updated[places] = commit
    after, none = select_orders(orders, take_rows(lines, np.empty(0, dtype=np.int64)), places)
    before = take_rows(after, np.arange(len(places)))
    before.status[:] = NEW
    before.booked[:] = NULL
    before.updated[:] = before.ordered
    moved_already = np.zeros(len(orders.number), dtype=np.bool_)
    moved_already[places] = True
    return OrderStep(before, after, none, none, commit), moved_already


def status_moves(
    rng: np.random.Generator,
    drafted: DraftedOrders,
    lines: OrderLines,
    items: Catalogue,
    settled: Bools,
    least: int,
) -> list[OrderStep]:
    """The steps of all moves, in an order in which each order's later steps come later.

    Orders move only if all of them and of their lines can be read, and none that is `settled`.
    Every other cancellation was decided the day before, and is keyed in late. Bundles are neither
    allocated nor let go at night: that is the stores' work, by day.
    """
    orders = drafted.orders
    odd = (lines.quantity <= 0) | ((lines.status == LINE_ALLOCATED) & (lines.allocated == NULL))
    bundle = items.is_bundle(lines.sku)
    free = drafted.readable & ~settled & ~has_line(orders, lines, odd)
    open_bundle = has_line(orders, lines, bundle & (lines.status == LINE_OPEN))
    held_bundle = has_line(orders, lines, bundle & (lines.status == LINE_ALLOCATED))
    steps: list[OrderStep] = []
    for move in MOVES:
        eligible = free & (orders.status == move.start)
        if _TOUCHES_OPEN & set(move.way):
            eligible &= ~open_bundle
        if _TOUCHES_ALLOCATED & set(move.way):
            eligible &= ~held_bundle
        places = rare_places(rng, eligible, orders.region, move.share, 2 * least)
        free[places] = False
        steps += _steps_of_move(rng, move, *select_orders(orders, lines, places))
    return steps


def _steps_of_move(
    rng: np.random.Generator, move: StatusMove, orders: Orders, lines: OrderLines
) -> list[OrderStep]:
    steps: list[OrderStep] = []
    count = len(orders.number)
    earliest = np.full(count, EXTRACT + 30)
    for station in move.way:
        commit = rng.integers(earliest, END)
        # Even the smallest estate has a whole way before the cut, and a step after it.
        commit[:1] = rng.integers(earliest[:1], CUT - HOUR + (station == move.way[-1]) * HOUR)
        commit[count - 1 :] = rng.integers(np.maximum(earliest[count - 1 :], CUT + MINUTE), END)
        commit[commit == CUT] -= 1
        at = np.maximum(commit - rng.integers(1, 30, count), orders.ordered + 1)
        if station == CANCELLED:
            at = _every_other_backdated(rng, at, orders.ordered)
        status = np.full(count, station)
        if station == FIRST_HOLD:
            status = station + rng.integers(0, len(HOLDS), count)
        step = status_step(orders, lines, status, at, commit)
        steps.append(step)
        lines = lines_after_step(lines, step)
        orders, earliest = step.orders_after, np.minimum(commit + MINUTE, END - 1)
    return steps


def _every_other_backdated(rng: np.random.Generator, at: Ints, ordered: Ints) -> Ints:
    earlier = np.maximum(EXTRACT - rng.integers(HOUR, DAY, len(at)), ordered + MINUTE)
    return np.where(np.arange(len(at)) % 2 == 0, earlier, at)
