"""The business of the retailer: one transaction of the ERP after the other, by chance."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cutline.sample import LivePlaces
from cutline_translators.retail.estate.regions import REGIONS
from cutline_translators.retail.estate.trading.connection import connect, told_errors
from cutline_translators.retail.estate.trading.moves import MOVES, Move
from cutline_translators.retail.estate.trading.native import NativeProducer
from cutline_translators.retail.estate.trading.native_orders import (
    PlacedLine,
    tell_allocated,
    tell_placed,
)
from cutline_translators.retail.estate.trading.overlap import tell_overlap

FIRST_NUMBER = 80_000_001
"""The number of the first order that comes while the retailer trades."""
_OF_PLACING = 0.35
_LINES = (1, 1, 2, 3)
_CURRENCY = dict(zip(REGIONS, ("EUR", "USD"), strict=True))
_FREE = """
SELECT o.order_no, o.region FROM erp.orders o
WHERE o.status = ANY(%s) AND o.ordered_at IS NOT NULL
  AND o.closed_at IS NULL AND o.cancelled_at IS NULL
  AND (o.status <> 'RELEASED' OR o.released_at IS NOT NULL)
  AND EXISTS (SELECT 1 FROM erp.order_lines l WHERE l.order_no = o.order_no)
  AND NOT EXISTS (
    SELECT 1 FROM erp.order_lines l
    WHERE l.order_no = o.order_no
      AND (l.quantity < 1
        OR l.line_status = 'ALLOCATED' AND l.allocated_at IS NULL
        OR l.line_status = ANY(%s)
        OR l.sku IN (SELECT bundle_sku FROM erp.bundle_components)
        OR l.sku IN (SELECT component_sku FROM erp.bundle_components)))
ORDER BY random() LIMIT 1
"""
"""An order that can go on: readable, and without bundles and what is in them, which is the stores'
work. So the story about them stays as the estate has it."""
_INSERT_ORDER = """
INSERT INTO erp.orders
  (order_no, region, channel, customer_no, status, currency, total_cents, ordered_at, updated_at)
VALUES (%s, %s, 'WEB', %s, 'NEW', %s, %s, %s, %s)
"""
_INSERT_LINE = """
INSERT INTO erp.order_lines
  (order_no, line_no, region, sku, quantity, unit_price_cents, line_status, ordered_at)
VALUES (%s, %s, %s, %s, %s, %s, 'OPEN', %s)
"""
_RESERVE = """
UPDATE erp.availability SET reserved = reserved + %s, reservable = reservable - %s
WHERE region = %s AND sku = %s
"""


def open_trade(places: LivePlaces, folder: Path, seed: int) -> RetailTrade:
    """The business, with its connections; what comes is drawn from the seed."""
    return RetailTrade(places, folder, seed)


class RetailTrade:
    """Orders that come and go on.

    Every order with an even number is taken by the new side's service as well, which tells of it
    and of the stock that is set aside for it. Before its first order that service tells what it has
    told of the estate in the folder, with two records that nobody can use.
    """

    def __init__(self, places: LivePlaces, folder: Path, seed: int) -> None:
        self._places = places
        self.arrived: dict[str, list[str]] = {region: [] for region in REGIONS}
        self.moved = 0
        self._native = NativeProducer(places)
        self._database = connect(places)
        with told_errors(places):
            self._articles = self._rows(
                "SELECT sku, price_cents FROM erp.products WHERE active = 1 ORDER BY sku"
            )
            self._customers = [
                row[0]
                for row in self._rows(
                    "SELECT DISTINCT customer_no FROM erp.orders"
                    " WHERE customer_no IS NOT NULL ORDER BY customer_no LIMIT 1000"
                )
            ]
            ((newest,),) = self._rows(
                "SELECT max(substr(order_no, 4)::bigint) FROM erp.orders WHERE order_no >= %s",
                (_number_text(FIRST_NUMBER),),
            )
        self._next = FIRST_NUMBER if newest is None else int(newest) + 1
        # What went before is not drawn again.
        self._random = random.Random(f"{seed}/{self._next}")  # noqa: S311
        if newest is None:
            tell_overlap(self._native, folder)
            self._native.flush()

    @property
    def announced(self) -> int:
        """How many events the new side has sent."""
        return self._native.sent

    def step(self, *, moves: bool) -> None:
        """One transaction of the ERP, and what the new side tells of it once it is committed.

        It is an order that comes, or with `moves` more often one that takes its next step, if there
        is any that can.
        """
        with told_errors(self._places):
            if not moves or self._random.random() < _OF_PLACING or not self._move():
                self._place()
        self._native.flush()

    def close(self) -> None:
        """End the connection."""
        self._database.close()

    def _place(self) -> None:
        number, now = _number_text(self._next), _now()
        region = REGIONS[0] if self._random.random() < 0.75 else REGIONS[1]
        customer = self._random.choice(self._customers)
        count = min(self._random.choice(_LINES), len(self._articles))
        articles = self._random.sample(self._articles, count)
        lines = [
            PlacedLine(place, sku, self._random.randint(1, 3), int(price))
            for place, (sku, price) in enumerate(articles, 1)
        ]
        total = sum(line.quantity * line.price for line in lines)
        with self._database.transaction():
            self._database.execute(
                _INSERT_ORDER,
                (number, region, customer, _CURRENCY[region], total, now, now),
            )
            for line in lines:
                self._database.execute(
                    _INSERT_LINE,
                    (number, line.number, region, line.sku, line.quantity, line.price, now),
                )
        if self._is_told(number):
            needs = {line.sku: self._needs(line.sku) for line in lines}
            currency = _CURRENCY[region]
            tell_placed(self._native, number, region, customer, currency, total, now, lines, needs)
        self.arrived[region].append(number)
        self._next += 1

    def _move(self) -> bool:
        """Let an order take its next step; whether there is one that can."""
        (move,) = self._random.choices(MOVES, weights=[move.weight for move in MOVES])
        orders = self._rows(_FREE, (list(move.start), list(move.without)))
        if not orders:
            return False
        ((order_no, region),) = orders
        status, now = self._random.choice(move.becomes), _now()
        with self._database.transaction():
            self._database.execute(
                _update_order(move).encode(), _values(move, status, now, order_no)
            )
            lines = self._touched_lines(move, order_no, now)
            for line in lines:
                pieces = line.quantity * move.reserves
                if pieces:
                    self._database.execute(_RESERVE, (pieces, pieces, region, line.sku))
        if move.reserves > 0 and self._is_told(order_no):
            tell_allocated(self._native, order_no, region, lines)
        self.moved += 1
        return True

    def _touched_lines(self, move: Move, order_no: str, now: dt.datetime) -> list[PlacedLine]:
        """The lines that the move changes; of those whose stock it frees only such as have some."""
        if move.line_status is None:
            return []
        rows = self._rows(
            f"UPDATE erp.order_lines SET line_status = '{move.line_status}',"  # noqa: S608
            f" {move.line_time} = %s WHERE order_no = %s AND line_status = %s"
            " RETURNING line_no, sku, quantity, unit_price_cents",
            (now, order_no, move.line_start),
        )
        return [PlacedLine(*row) for row in sorted(rows)]

    def _is_told(self, order_no: str) -> bool:
        number = int(order_no.removeprefix("SO-"))
        return number >= FIRST_NUMBER and number % 2 == 0

    def _needs(self, sku: str) -> list[dict[str, Any]]:
        """What one unit draws from stock: the article itself, or the components of a bundle."""
        rows = self._rows(
            "SELECT quantity, component_sku FROM erp.bundle_components WHERE bundle_sku = %s"
            " ORDER BY quantity, component_sku",
            (sku,),
        )
        return [{"quantity": int(n), "sku": part} for n, part in rows or [(1, sku)]]

    def _rows(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        return self._database.execute(sql.encode(), tuple(values)).fetchall()


def _update_order(move: Move) -> str:
    times = "".join(f", {column} = coalesce({column}, %s)" for column in move.times)
    return f"UPDATE erp.orders SET status = %s, updated_at = %s{times} WHERE order_no = %s"  # noqa: S608


def _values(move: Move, status: str, now: dt.datetime, order_no: str) -> tuple[Any, ...]:
    return (status, now, *(now for _ in move.times), order_no)


def _number_text(number: int) -> str:
    return f"SO-{number:08d}"


def _now() -> dt.datetime:
    """The moment to the millisecond, which every part on the way keeps."""
    now = dt.datetime.now(dt.UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
