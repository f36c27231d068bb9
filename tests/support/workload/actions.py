"""What transactions do with the orders of their writer: each action is a few statements."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import count

from support.workload.draft import Draft
from support.workload.tables import SKUS, Key

NEXT = {"NEW": "RELEASED", "RELEASED": "SHIPPED", "SHIPPED": "CLOSED"}
_LARGE = 6_000
"""Random bytes of a document: as hexadecimal digits too many for a page."""
_BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Actions:
    """The actions of one writer: orders are numbered, and its clock goes on a minute each time."""

    def __init__(self, writer: int, draws: random.Random) -> None:
        self._writer = writer
        self._draws = draws
        self._numbers: Iterator[int] = count(1)
        self._minutes: Iterator[int] = count(1)

    def any_of_them(self, draft: Draft) -> None:
        """One action, drawn; an order is placed where there is none yet."""
        if not _orders(draft):
            self.place(draft)
            return
        weights = {
            self.place: 5,
            self.move: 6,
            self.amend: 4,
            self.write_document: 1,
            self.rename: 1,
            self.delete: 1,
            self.touch: 1,
        }
        action: Callable[[Draft], None] = self._draws.choices(
            list(weights), weights=list(weights.values())
        )[0]
        action(draft)

    def place(self, draft: Draft) -> None:
        """A new order, with a large document or none, and its lines."""
        number, now = self._new_number(), self._now()
        draft.insert(
            "orders",
            {
                "order_no": number,
                "status": "NEW",
                "amount": self._amount(),
                "note": None,
                "document": self._document() if self._draws.random() < 0.5 else None,
                "placed_at": now,
                "changed_at": now,
            },
        )
        for line in range(1, self._draws.randint(1, 3) + 1):
            sku, pieces = self._draws.choice(SKUS), self._draws.randint(1, 9)
            draft.insert(
                "order_lines",
                {"order_no": number, "line_no": line, "sku": sku, "pieces": pieces},
            )

    def move(self, draft: Draft) -> None:
        """An order goes on, or is cancelled; a closed one is touched."""
        key = self._order(draft)
        status = NEXT.get(draft.state[key]["status"])
        if status is None:
            self.touch(draft)
        elif self._draws.random() < 0.1:
            draft.update(key, status="CANCELLED", changed_at=self._now())
        else:
            draft.update(key, status=status, changed_at=self._now())

    def amend(self, draft: Draft) -> None:
        """Small columns change, and the document stays as it is: the log does not say what it is."""
        note = f"amended {self._draws.randrange(10**6)}, ä€🙂"
        draft.update(self._order(draft), note=note, amount=self._amount(), changed_at=self._now())

    def write_document(self, draft: Draft) -> None:
        """Another document, or none."""
        document = self._document() if self._draws.random() < 0.8 else None
        draft.update(self._order(draft), document=document)

    def rename(self, draft: Draft) -> None:
        """An order gets another number, and so do its lines."""
        key = self._order(draft)
        number = self._new_number()
        for line in _lines(draft, key):
            draft.update(line, order_no=number)
        draft.update(key, order_no=number, changed_at=self._now())

    def delete(self, draft: Draft) -> None:
        """An order goes, with its lines."""
        key = self._order(draft)
        for line in _lines(draft, key):
            draft.delete(line)
        draft.delete(key)

    def touch(self, draft: Draft) -> None:
        """An update that changes nothing."""
        key = self._order(draft)
        draft.update(key, status=draft.state[key]["status"])

    def take_from_stock(self, draft: Draft) -> None:
        draft.take(self._draws.choice(SKUS), self._draws.randint(1, 9))

    def _order(self, draft: Draft) -> Key:
        return self._draws.choice(_orders(draft))

    def _new_number(self) -> str:
        return f"W{self._writer}-{next(self._numbers)}"

    def _now(self) -> dt.datetime:
        return _BEGIN + dt.timedelta(minutes=next(self._minutes))

    def _amount(self) -> Decimal:
        return Decimal(self._draws.randrange(10**6)) / 100

    def _document(self) -> str:
        return self._draws.randbytes(_LARGE).hex()


def _orders(draft: Draft) -> list[Key]:
    return [key for key in draft.state if key[0] == "orders"]


def _lines(draft: Draft, order: Key) -> list[Key]:
    return [key for key in draft.state if key[0] == "order_lines" and key[1][0] == order[1][0]]
