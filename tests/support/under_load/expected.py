"""All that must be announced of a snapshot and of what was committed after it, by the writers' word."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any

from support.workload import Commit, Row
from support.workload.tables import FULL_STOCK, SKUS, State

Announced = tuple[str, dict[str, str]]
"""An event's type and payload."""
Subject = tuple[str, str]
"""An aggregate, and the id of a subject of it."""
History = dict[Subject, list[Announced]]
"""The events of each subject in the order of the commits."""


@dataclass
class _Order:
    """An order from its beginning to its end, whatever its number becomes; no `image` after that."""

    number: str
    image: Row | None = None
    events: list[Announced] = field(default_factory=list)


def expected_orders(commits: Iterable[Commit], visible: Collection[int]) -> History:
    """The events of the orders that the transactions `visible` left, and of all commits after them.

    `commits` of a writer are in the order of its commits.
    """
    all_commits = list(commits)
    orders: dict[str, _Order] = {}
    everybody: list[_Order] = []
    for commit in (c for c in all_commits if c.xid in visible):
        _apply(commit, orders, everybody)
    everybody = list(orders.values())
    for order in everybody:
        assert order.image is not None
        order.events = [("OrderOnShelf", payload("orders", order.image))]
    for commit in (c for c in all_commits if c.xid not in visible):
        _apply(commit, orders, everybody)
    return {("order", order.number): order.events for order in everybody if order.events}


def expected_stock(commits: Iterable[Commit], visible: Collection[int]) -> History:
    """The same of stock, which all writers write: it only shrinks, so that what was left tells the
    order."""
    left: dict[str, tuple[set[int], set[int]]] = {sku: ({FULL_STOCK}, set()) for sku in SKUS}
    for commit in commits:
        for change in (change for change in commit.changes if change.table == "stock"):
            assert change.after is not None
            left[change.after["sku"]][commit.xid not in visible].add(change.after["pieces"])
    history: History = {}
    for sku, (shown, later) in left.items():
        assert not later or max(later) < min(shown), f"{sku}: shown, and what was before it not"
        moved = [("StockMoved", as_texts({"pieces": n})) for n in sorted(later, reverse=True)]
        history["stock", sku] = [("StockCounted", as_texts({"pieces": min(shown)})), *moved]
    return history


def expected_states(state: State) -> dict[Subject, dict[str, str]]:
    """The state of each subject, where the tables hold these rows."""
    subjects = {"orders": ("order", "order_no"), "stock": ("stock", "sku")}
    return {
        (subjects[table][0], row[subjects[table][1]]): payload(table, row)
        for (table, _), row in state.items()
        if table in subjects
    }


def payload(table: str, row: Row) -> dict[str, str]:
    """What an event of an image says, without what is null."""
    if table == "stock":
        return as_texts({"pieces": row["pieces"]})
    document = row["document"]
    values = {name: row[name] for name in ("status", "amount", "note", "changed_at")}
    return as_texts(values | {"document": document and sha256(document.encode()).hexdigest()})


def as_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as texts that are equal where the values are; nulls are left out."""
    return {name: _as_text(name, value) for name, value in values.items() if value is not None}


def _as_text(name: str, value: Any) -> str:
    if name == "amount":
        return f"{Decimal(value):.2f}"
    if name == "changed_at":
        moment = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
        return str(moment.astimezone(dt.UTC))
    return str(value)


def _apply(commit: Commit, orders: dict[str, _Order], everybody: list[_Order]) -> None:
    """What a commit leaves, and announces: between two of its rows nobody could read."""
    before: dict[int, tuple[_Order, Row | None]] = {}
    for _, old, new in (change for change in commit.changes if change.table == "orders"):
        order = _Order("") if old is None else orders.pop(old["order_no"])
        before.setdefault(id(order), (order, order.image))
        order.image = new
        if new is not None:
            # A number that it has only within its last transaction counts, too.
            order.number = new["order_no"]
            orders[order.number] = order
        if old is None:
            everybody.append(order)
    for order, image in before.values():
        order.events += _announced(image, order.image)


def _announced(before: Row | None, after: Row | None) -> Iterator[Announced]:
    if after is None:
        if before is not None:
            yield "OrderStruck", {}
    elif before is None:
        yield "OrderOnShelf", payload("orders", after)
    elif payload("orders", before) != payload("orders", after):
        yield "OrderWritten", payload("orders", after)
