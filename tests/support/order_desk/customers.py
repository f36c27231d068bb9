"""Customers who go on ordering, whoever takes their orders, and remember what they were answered."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from types import TracebackType

import psycopg

from support.order_desk.desk import Desk
from support.order_desk.new_side import NewSide

BETWEEN_SECONDS = 0.7


@dataclass
class Answers:
    """By side, the orders that were taken in order; and those that nobody took."""

    legacy: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Customers:
    """One after the other orders, at the side that took the order before; refused there, at the
    other one. An order that neither takes is not placed, and they are told so."""

    def __init__(self, desk: Desk, new_side: NewSide, region: str) -> None:
        self._new_side, self._region = new_side, region
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._order_on, name="customers")
        self._legacy = psycopg.connect(desk.legacy_url, autocommit=True)
        self.answers = Answers()
        self.failure: BaseException | None = None

    def __enter__(self) -> Customers:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._legacy.close()
        if error is None and self.failure is not None:
            raise self.failure

    def wait_for(self, side: str, more: int = 2, seconds: float = 30) -> None:
        """Until so many more orders were taken by a side, `legacy` or `new`."""
        orders_taken: list[str] = getattr(self.answers, side)
        wanted, deadline = len(orders_taken) + more, time.monotonic() + seconds
        while len(orders_taken) < wanted:
            if self.failure is not None:
                raise self.failure
            if time.monotonic() > deadline:
                raise TimeoutError(f"{side} took no {more} orders within {seconds} s")
            time.sleep(0.05)

    def _order_on(self) -> None:
        number, sides = 0, [self.answers.legacy, self.answers.new]
        take = {id(self.answers.legacy): self._ask_legacy, id(self.answers.new): self._ask_new}
        try:
            while not self._ended.wait(BETWEEN_SECONDS):
                number += 1
                order = f"{self._region}-{number}"
                if take[id(sides[0])](order):
                    sides[0].append(order)
                elif take[id(sides[1])](order):
                    sides.reverse()
                    sides[0].append(order)
                else:
                    self.answers.refused.append(order)
        except BaseException as failure:
            self.failure = failure

    def _ask_new(self, order: str) -> bool:
        return self._new_side.take(order, self._region, "Bob", "jam")

    def _ask_legacy(self, order: str) -> bool:
        row = (order, self._region, "Bob", "jam")
        try:
            self._legacy.execute(
                "INSERT INTO orders (no, region, buyer, item) VALUES (%s, %s, %s, %s)", row
            )
        except psycopg.errors.RaiseException:
            return False
        return True
