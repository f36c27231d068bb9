"""The stock of each article: enough for all orders, unless bundles are reserved twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cutline_translators.estate.chance import rare_places
from cutline_translators.estate.columns import words_at
from cutline_translators.estate.moments import DAY, EXTRACT, NULL, Ints
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.regions import REGIONS

SHORT_OF = 0.05
"""Share of articles with next to no free stock."""
OVERSOLD = 0.003
FLIPS = 0.02
"""Share of open orders that only a double count of bundles would keep waiting."""
TIME_UNKNOWN = 0.005

_RESERVED = """
SELECT l.region, l.sku, sum(l.quantity) AS units FROM order_lines l
JOIN orders o ON o.order_no = l.order_no
WHERE l.line_status = 'ALLOCATED' AND l.quantity > 0 GROUP BY 1, 2 ORDER BY 1, 2
"""
_WAITING = """
SELECT l.region, l.sku, l.quantity, o.rowid FROM order_lines l
JOIN orders o ON o.order_no = l.order_no
WHERE l.line_status = 'OPEN' AND l.allocated_at IS NULL AND l.quantity > 0
  AND o.status NOT IN (
    'RELEASED', 'CLOSED', 'CANCL', 'TESTO', 'MIGR1', 'MIGR2', 'Z9999'
  ) AND o.ordered_at IS NOT NULL
ORDER BY l.order_no, l.line_no
"""


@dataclass(frozen=True)
class Demand:
    """The demand of orders at the cut, per (region, article).

    `reserved` counts pieces of simple articles. `in_bundles` is the part of it that bundles draw.
    `order`, `region`, `component`, `pieces` are one entry per waiting line and article it needs.
    """

    reserved: Ints
    in_bundles: Ints
    order: Ints
    region: Ints
    component: Ints
    pieces: Ints


def demand(legacy: Path, items: Catalogue) -> Demand:
    """The demand of the orders in the ERP at the cut."""
    articles = items.simple + items.bundles
    reserved = np.zeros((2, articles), dtype=np.int64)
    in_bundles = np.zeros_like(reserved)
    with closing(sqlite3.connect(legacy)) as database:
        region, sku, units = _numbers(database.execute(_RESERVED).fetchall(), items, 3)
        place, component, pieces = items.needs(sku)
        reserved_pieces = units[place] * pieces
        np.add.at(reserved, (region[place], component), reserved_pieces)
        whole = items.is_bundle(sku[place])
        np.add.at(in_bundles, (region[place][whole], component[whole]), reserved_pieces[whole])
        region, sku, quantity, order = _numbers(database.execute(_WAITING).fetchall(), items, 4)
    place, component, pieces = items.needs(sku)
    return Demand(
        reserved, in_bundles, order[place], region[place], component, quantity[place] * pieces
    )


def count_times(rng: np.random.Generator, items: Catalogue) -> Ints:
    """The time of each article's count, per (region, article); of a few it is missing."""
    shape = (2, items.simple + items.bundles)
    at = EXTRACT - rng.integers(DAY, 9 * DAY, shape)
    at[rng.random(shape) < TIME_UNKNOWN] = NULL
    at[:, 0] = NULL
    return at


def count_stock(rng: np.random.Generator, items: Catalogue, wanted: Demand, adjusted: Ints) -> Ints:
    """Counted pieces per (region, article), so that the free stock tells the story.

    Most articles have some free, a few next to nothing. Of some components of bundles just enough
    is free for every order that waits for them, as long as bundles are counted once.
    """
    shape = wanted.reserved.shape
    most = np.zeros(shape, dtype=np.int64)
    np.maximum.at(most, (wanted.region, wanted.component), wanted.pieces)
    # Enough even where a bundle is taken twice; those that are not get chosen below.
    free = most + wanted.in_bundles + rng.integers(2, 40, shape)
    _make_short(rng, wanted, adjusted, most, free)
    slack = (rng.random(shape) * wanted.in_bundles * 0.7).astype(np.int64)
    for region in range(2):
        tight = _tight_components(rng, wanted, free, most + slack, adjusted, region)
        free[region, tight] = (most + slack)[region, tight]
    counted: Ints = np.maximum(free + wanted.reserved - adjusted, 0)
    counted[:, items.simple :] = 0
    return counted


def _make_short(
    rng: np.random.Generator, wanted: Demand, adjusted: Ints, most: Ints, free: Ints
) -> None:
    """Leave next to nothing free of some articles, and one or more oversold in each region."""
    region = np.repeat(np.arange(2), free.shape[1]).reshape(free.shape)
    # What bundles draw on is either short for everybody or not at all: it must not flip.
    single = wanted.in_bundles == 0
    short = rng.random(free.shape) < SHORT_OF
    free[short] = np.where(single, rng.integers(0, 2, free.shape), 0)[short]
    for eligible, left, rate in (
        (single & (most > 0) & (wanted.reserved >= adjusted), 0, 0.0),
        (single & (wanted.reserved > adjusted), -1, OVERSOLD),
    ):
        free.ravel()[rare_places(rng, eligible.ravel(), region.ravel(), rate, 1)] = left


def _tight_components(
    rng: np.random.Generator,
    wanted: Demand,
    free: Ints,
    enough: Ints,
    adjusted: Ints,
    region: int,
) -> Ints:
    """Components of reserved bundles of which only `enough` is to be free, in one region.

    So many that a double count keeps the wanted share of the orders waiting that wait for nothing
    else, or one more.
    """
    in_region = wanted.region == region
    order, component, pieces = (
        wanted.order[in_region],
        wanted.component[in_region],
        wanted.pieces[in_region],
    )
    stuck = np.unique(order[pieces > free[region, component]])
    flips = (
        ~np.isin(order, stuck)
        & (pieces > (enough - wanted.in_bundles)[region, component])
        # A count is never below nothing, so it could not be so low.
        & (adjusted <= wanted.reserved)[region, component]
    )
    goal = max(1, round(FLIPS * len(np.unique(order))))
    order, component = order[flips], component[flips]
    candidates, candidate_index = np.unique(component, return_inverse=True)
    turn = rng.permutation(len(candidates))[candidate_index]
    in_turn = np.argsort(turn, kind="stable")
    first_time = np.zeros(len(order), dtype=np.bool_)
    first_time[np.unique(order[in_turn], return_index=True)[1]] = True
    reached = int(np.searchsorted(np.cumsum(first_time), goal))
    last = turn[in_turn][min(reached, len(turn) - 1)] if len(turn) else 0
    tight: Ints = np.unique(component[turn <= last])
    return tight


def availability_table(
    items: Catalogue, wanted: Demand, counted: Ints, booked: Ints, adjusted: Ints
) -> pa.Table:
    """The legacy's own stock answer: one row per article and region, bundles with nothing."""
    articles = items.simple + items.bundles
    return pa.table(
        {
            "sku": items.names(np.tile(np.arange(articles), 2)),
            "region": words_at(REGIONS, np.repeat([0, 1], articles)),
            "physical": pa.array(counted.ravel()),
            "financial": pa.array(booked.ravel()),
            "reserved": pa.array(wanted.reserved.ravel()),
            "reservable": pa.array((counted + adjusted - wanted.reserved).ravel()),
        }
    )


def _numbers(rows: list[tuple[Any, ...]], items: Catalogue, width: int) -> list[Ints]:
    columns = list(zip(*rows, strict=True)) or [()] * width
    region = np.array([REGIONS.index(name) for name in columns[0]], dtype=np.int64)
    offset = {"S": -1, "B": items.simple - 1}
    sku = np.array([int(name[4:]) + offset[name[0]] for name in columns[1]], dtype=np.int64)
    rest = [np.array(column, dtype=np.int64) for column in columns[2:]]
    return [region, sku, *rest]
