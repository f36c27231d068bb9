"""Orders at the extract, some of them spoilt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cutline_translators.estate.chance import Bools, rare_places, weighted_choices
from cutline_translators.estate.moments import DAY, EXTRACT, HOUR, MINUTE, NULL, Ints
from cutline_translators.retail.estate.rows import Orders
from cutline_translators.retail.estate.statuses import (
    ALLOCATED,
    BOOKED,
    CANCELLED,
    CLOSED,
    ELSEWHERE,
    FIRST_ELSEWHERE,
    FIRST_HOLD,
    FIRST_UNREADABLE,
    HOLDS,
    NEW,
    RELEASED,
    TESTO,
    UNREADABLE,
)

TEST_ORDER = 0.002
UNREADABLE_STATUS = 0.001
CLOSED_AND_CANCELLED = 0.0005
NO_ORDER_TIME = 0.0005
CLOSED_BEFORE_RELEASE = 0.001
TIME_UNKNOWN = 0.002
"""Share of releases, closings and cancellations without a time."""

_GROUPS = (NEW, BOOKED, ALLOCATED, RELEASED, CLOSED, CANCELLED, FIRST_HOLD, FIRST_ELSEWHERE)
_SHARES = [0.09, 0.09, 0.09, 0.08, 0.51, 0.06, 0.05, 0.03]


@dataclass(frozen=True)
class DraftedOrders:
    """Orders at the extract.

    `course` holds the moments that each order's life would have: ordered, booked, allocated,
    released, closed, all before the extract, whether or not it has come so far. `readable` is
    false for orders that history made unreadable, and for test orders.
    """

    orders: Orders
    course: Ints
    readable: Bools


def customers_of(orders: int) -> int:
    """How many customers an estate of so many orders has."""
    return max(50, orders // 4)


def customer_of(rng: np.random.Generator, region: Ints, customers: int) -> Ints:
    """A customer per order: the first 60 % of the numbers live in the first region."""
    border = customers * 6 // 10
    low = np.where(region == 0, 1, border + 1)
    return rng.integers(low, np.where(region == 0, border, customers) + 1)


def draft_orders(
    rng: np.random.Generator, first: int, count: int, customers: int, least: int
) -> DraftedOrders:
    """`count` orders from number `first`; of everything rare `least` at least in each region."""
    region = (rng.random(count) >= 0.6).astype(np.int64)
    group = weighted_choices(rng, count, _SHARES)
    status = np.array(_GROUPS)[group]
    status = _spread(rng, status, FIRST_HOLD, len(HOLDS))
    status = _spread(rng, status, FIRST_ELSEWHERE, len(ELSEWHERE))
    course = _course(rng, status)
    plain = np.ones(count, dtype=np.bool_)

    def plant(eligible: Bools, rate: float) -> Ints:
        places = rare_places(rng, eligible & plain, region, rate, least)
        plain[places] = False
        return places

    tests = plant(status == NEW, TEST_ORDER)
    lost = plant(np.isin(status, (BOOKED, CLOSED)), UNREADABLE_STATUS)
    timeless = plant(np.isin(status, (BOOKED, CLOSED)), NO_ORDER_TIME)
    closed_too = plant(status == CANCELLED, CLOSED_AND_CANCELLED / 2)
    cancelled_too = plant(status == CLOSED, CLOSED_AND_CANCELLED / 2)
    readable = plain.copy()
    swapped = plant(status == CLOSED, CLOSED_BEFORE_RELEASE)

    course[swapped, 3], course[swapped, 4] = course[swapped, 4], course[swapped, 3]
    ordered, booked, allocated, released, closed = course.T
    is_open = (status >= FIRST_HOLD) | (status <= RELEASED)
    orders = Orders(
        number=np.arange(first, first + count, dtype=np.int64),
        region=region,
        channel=weighted_choices(rng, count, [0.62, 0.28, 0.10]),
        customer=customer_of(rng, region, customers),
        status=status,
        total=np.zeros(count, dtype=np.int64),
        ordered=ordered.copy(),
        booked=np.where(status == NEW, NULL, booked),
        allocated=np.where(
            np.isin(status, (ALLOCATED, RELEASED, CLOSED)) | (status >= FIRST_ELSEWHERE),
            allocated,
            NULL,
        ),
        released=np.where(np.isin(status, (RELEASED, CLOSED)), released, NULL),
        closed=np.where(status == CLOSED, closed, NULL),
        cancelled=np.where(status == CANCELLED, closed, NULL),
        updated=np.where(is_open, released, course.max(axis=1)),
    )
    unknown = rng.random(count) < TIME_UNKNOWN
    for moments, at_status in (
        (orders.released, RELEASED),
        (orders.closed, CLOSED),
        (orders.cancelled, CANCELLED),
    ):
        some = rare_places(rng, plain & (status == at_status), region, 0, least)
        moments[unknown & plain & (status == at_status)] = NULL
        moments[some] = NULL
    orders.status[tests] = TESTO
    orders.status[lost] = FIRST_UNREADABLE + np.arange(len(lost)) % len(UNREADABLE)
    orders.ordered[timeless] = NULL
    orders.closed[closed_too] = orders.cancelled[closed_too] + HOUR
    orders.cancelled[cancelled_too] = orders.closed[cancelled_too] + HOUR
    return DraftedOrders(replace(orders), course, readable)


def _spread(rng: np.random.Generator, status: Ints, first: int, codes: int) -> Ints:
    """The status of a group, each of its codes in turn, from a random one."""
    places = np.flatnonzero(status == first)
    spread = status.copy()
    spread[places] = first + (np.arange(len(places)) + rng.integers(0, codes)) % codes
    return spread


def _course(rng: np.random.Generator, status: Ints) -> Ints:
    """Five moments per order, rising, none in the last two minutes before the extract."""
    count = len(status)
    longest = np.where(np.isin(status, (CLOSED, CANCELLED)), 90 * DAY, 12 * DAY)
    longest = np.where(status == NEW, 3 * DAY, longest)
    age = 2 * HOUR + (rng.random(count) ** 2 * longest).astype(np.int64)
    age = np.where(status == CLOSED, age + 2 * DAY, age)
    span = np.minimum(age - 2 * MINUTE, 10 * DAY)
    steps = np.cumsum(rng.random((count, 5)) + 0.05, axis=1)
    share = steps[:, :4] / steps[:, 4:]
    ordered = EXTRACT - age
    later = ordered[:, None] + (share * span[:, None]).astype(np.int64)
    return np.concatenate([ordered[:, None], later], axis=1)
