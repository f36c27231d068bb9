"""The stores' database: picks and counted stock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from cutline_translators.estate.chance import rare_places
from cutline_translators.estate.columns import codes, words_at
from cutline_translators.estate.moments import HOUR, NULL, Ints, iso
from cutline_translators.estate.sqlite import Loader, create
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.lines import FIRST_ORPHAN
from cutline_translators.retail.estate.orders import DraftedOrders
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.rows import OrderLines, order_number
from cutline_translators.retail.estate.statuses import (
    LINE_ALLOCATED,
    LINE_OPEN,
    LINE_SHIPPED,
    PICK_ALLOCATED,
    PICK_PICKED,
    PICK_SHORT,
    PICK_STATUSES,
)

STORE_FULFILLED = 0.7
"""Share of orders that stores pick; lines with bundles always are."""
SHORT = 0.002
ORPHAN_PICK = 0.0005
STORES = 40

DDL = """
CREATE TABLE picks (
  pick_no TEXT PRIMARY KEY, order_no TEXT, line_no INTEGER, region TEXT, store TEXT, sku TEXT,
  quantity INTEGER, status TEXT, allocated_at TEXT
);
CREATE TABLE stock (
  sku TEXT, region TEXT, physical_quantity INTEGER, counted_at TEXT, PRIMARY KEY (sku, region)
);
"""


def create_stores(path: Path) -> None:
    """The stores' database without rows."""
    create(path, DDL)


class Picks:
    """Adds the picks of one chunk of orders after the other; numbers run on."""

    def __init__(self, database: Loader, items: Catalogue) -> None:
        self._database = database
        self._items = items
        self._count = 0

    def add(
        self, rng: np.random.Generator, drafted: DraftedOrders, lines: OrderLines, least: int
    ) -> None:
        """One pick per article that a line draws from stock, and a few of no line at all."""
        in_store = rng.random(len(drafted.orders.number)) < STORE_FULFILLED
        owned = lines.owner >= 0
        whole = self._items.is_bundle(lines.sku)
        reserving = np.isin(lines.status, (LINE_ALLOCATED, LINE_SHIPPED))
        picked = owned & reserving & (whole | in_store[lines.owner])
        short = rare_places(
            rng,
            owned & (lines.status == LINE_OPEN) & (lines.quantity > 0) & ~whole,
            lines.region,
            SHORT,
            least,
        )
        lineless, orderless = (
            rare_places(rng, picked & ~whole, lines.region, ORPHAN_PICK / 2, least)
            for _ in range(2)
        )
        line = np.concatenate([np.flatnonzero(picked), short, lineless, orderless])
        fate = np.repeat(
            np.arange(4), [int(picked.sum()), len(short), len(lineless), len(orderless)]
        )
        place, component, pieces = self._items.needs(lines.sku[line])
        line, fate = line[place], fate[place]

        number, line_no = lines.number[line], lines.line[line]
        line_no[fate == 2] += 90
        number[fate == 3] += FIRST_ORPHAN + 1_000_000
        status = np.where(lines.status[line] == LINE_SHIPPED, PICK_PICKED, PICK_ALLOCATED)
        status[fate == 1] = PICK_SHORT
        first = self._count + 1
        self._count += len(line)
        self._database.add(
            "picks",
            pa.table(
                {
                    "pick_no": codes("PK", np.arange(first, self._count + 1), 8),
                    "order_no": order_number(number),
                    "line_no": pa.array(line_no),
                    "region": words_at(REGIONS, lines.region[line]),
                    "store": codes("ST", rng.integers(1, STORES + 1, len(line)), 3),
                    "sku": self._items.names(component),
                    "quantity": pa.array(lines.quantity[line] * pieces),
                    "status": words_at(PICK_STATUSES, status),
                    "allocated_at": iso(self._allocation_time(drafted, lines, line)),
                }
            ),
        )

    @staticmethod
    def _allocation_time(drafted: DraftedOrders, lines: OrderLines, line: Ints) -> Ints:
        """The line's time, at most an hour late; if the ERP has none, the true time."""
        course_time = drafted.course[lines.owner[line], 2]
        at = lines.allocated[line]
        times: Ints = np.where(at == NULL, course_time, np.minimum(at, course_time + HOUR))
        return times


def stock_table(items: Catalogue, counted: Ints, counted_at: Ints) -> pa.Table:
    """The rows of `stock`: per region all articles, bundles as the nothing that they are."""
    everything = items.simple + items.bundles
    return pa.table(
        {
            "sku": items.names(np.tile(np.arange(everything), 2)),
            "region": words_at(REGIONS, np.repeat([0, 1], everything)),
            "physical_quantity": pa.array(counted.ravel()),
            "counted_at": iso(counted_at.ravel()),
        }
    )
