"""Writes the whole estate, chunk by chunk of orders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cutline_translators.estate.chance import Chance
from cutline_translators.estate.moments import CUT
from cutline_translators.estate.sqlite import Loader, loading
from cutline_translators.retail.estate.adjustments import draw_adjustments, write_adjustments
from cutline_translators.retail.estate.catalogue import Catalogue, catalogue
from cutline_translators.retail.estate.changes import (
    images_after_extract,
    log_of_steps,
    write_changes,
)
from cutline_translators.retail.estate.erp import create_erp, write_erp_at_cut
from cutline_translators.retail.estate.finance import booked_quantities, write_ledger
from cutline_translators.retail.estate.history import status_moves, visible_in_extract
from cutline_translators.retail.estate.lines import FIRST_ORPHAN, draft_lines, totals
from cutline_translators.retail.estate.live import write_live
from cutline_translators.retail.estate.newcomers import newcomer_steps, orders_after_cut
from cutline_translators.retail.estate.orders import customers_of, draft_orders
from cutline_translators.retail.estate.projectfile import write_project_file
from cutline_translators.retail.estate.rows import lines_table, orders_table
from cutline_translators.retail.estate.shop import Shop, create_shop, customers_table
from cutline_translators.retail.estate.statuses import RELEASED
from cutline_translators.retail.estate.steps import OrderStep
from cutline_translators.retail.estate.stock import (
    availability_table,
    count_stock,
    count_times,
    demand,
)
from cutline_translators.retail.estate.stores import Picks, create_stores, stock_table
from cutline_translators.retail.estate.warehouse import Warehouse

CHUNK = 250_000
"""The number of orders per chunk: about 300 MB."""


def write_project(folder: Path, orders: int, seed: int, translation_major: int) -> None:
    """Write a sample project into `folder`: the legacy estate and its cutline.yaml.

    `orders` are the orders in the extract; about one in a hundred more come after it. The same
    `orders` and `seed` give the same bytes in every file. What the estate wrote there before is
    replaced; other files are left alone.
    """
    chance = Chance(seed)
    items = catalogue(chance, orders)
    extract, legacy = folder / "extract", folder / "legacy"
    create_erp(extract / "erp.db", items, chance)
    create_shop(extract / "shop.db")
    create_stores(extract / "stores.db")
    steps = _history(folder, orders, chance, items)
    customers = customers_of(orders)
    alone, overlap = newcomer_steps(chance.of("arrived"), orders + 1, orders, customers, items)
    steps += [*alone, *overlap]
    log = log_of_steps(steps)
    write_changes(extract / "changes" / "erp.jsonl", log, items)
    later_orders, later_lines = images_after_extract(log, items)
    write_erp_at_cut(extract / "erp.db", legacy / "erp.db", later_orders, later_lines)
    _stock(folder, chance, items)
    first = orders + 1 + sum(len(s.commit) for s in (alone[0], overlap[0]))
    newest = orders_after_cut(chance.of("after-cut"), first, orders, customers, items)
    write_live(folder / "topics", chance.of("live"), overlap, newest, items)
    write_project_file(folder, orders, translation_major, log.places.visible)


def _history(folder: Path, orders: int, chance: Chance, items: Catalogue) -> list[OrderStep]:
    """Write what was extracted, and return the steps that the ERP took around the extract."""
    steps: list[OrderStep] = []
    customers = customers_of(orders)
    with _open_sinks(folder, items) as sinks:
        sinks.shop_database.add("customers", customers_table(chance, customers))
        orphans = FIRST_ORPHAN
        for chunk, first in enumerate(range(0, orders, CHUNK)):
            least = 1 if chunk == 0 else 0
            size = min(CHUNK, orders - first)
            drafted = draft_orders(chance.of("orders", chunk), first + 1, size, customers, least)
            lines = draft_lines(chance.of("lines", chunk), drafted, items, orphans, least)
            orphans += int(np.count_nonzero(lines.owner < 0))
            drafted.orders.total[:] = totals(drafted.orders, lines)
            rng = chance.of("moves", chunk)
            visible_step, settled = visible_in_extract(rng, drafted, lines, least)
            going = status_moves(rng, drafted, lines, items, settled, least)
            steps += [visible_step, *going]
            sinks.erp.add("orders", orders_table(drafted.orders))
            sinks.erp.add("order_lines", lines_table(lines, items))
            sinks.shop.add(chance.of("shop", chunk), drafted, least)
            sinks.picks.add(chance.of("picks", chunk), drafted, lines, least)
            releasing = np.isin(drafted.orders.number, _about_to_be_released(going))
            sinks.warehouse.add(chance.of("warehouse", chunk), drafted, lines, releasing, least)
    return steps


def _about_to_be_released(steps: list[OrderStep]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The numbers of orders that the ERP releases before the cut."""
    released = [
        s.orders_after.number[(s.orders_after.status == RELEASED) & (s.commit <= CUT)]
        for s in steps
    ]
    return np.concatenate(released)


@dataclass(frozen=True)
class _Sinks:
    """The writers of the sources, which take the chunks."""

    erp: Loader
    shop_database: Loader
    shop: Shop
    picks: Picks
    warehouse: Warehouse


@contextmanager
def _open_sinks(folder: Path, items: Catalogue) -> Iterator[_Sinks]:
    extract = folder / "extract"
    with (
        loading(extract / "erp.db") as erp,
        loading(extract / "shop.db") as shop,
        loading(extract / "stores.db") as stores,
    ):
        warehouse = Warehouse(extract / "warehouse")
        yield _Sinks(erp, shop, Shop(shop), Picks(stores, items), warehouse)


def _stock(folder: Path, chance: Chance, items: Catalogue) -> None:
    """Write counts, corrections, the books, and the legacy's own answer from all three."""
    extract, legacy = folder / "extract", folder / "legacy" / "erp.db"
    wanted = demand(legacy, items)
    counted_at = count_times(chance.of("count-times"), items)
    adjustments = draw_adjustments(chance.of("adjustments"), items, counted_at)
    adjusted = adjustments.per_article(items.simple + items.bundles)
    counted = count_stock(chance.of("stock"), items, wanted, adjusted)
    booked = booked_quantities(chance.of("finance"), items, counted)
    with loading(extract / "stores.db") as stores:
        stores.add("stock", stock_table(items, counted, counted_at))
    write_adjustments(extract / "adjustments" / "adjustments.jsonl", adjustments, items)
    write_ledger(extract / "finance" / "stock_ledger.parquet", items, booked)
    with loading(legacy) as erp:
        erp.add("availability", availability_table(items, wanted, counted, booked, adjusted))
