"""A context of sales, and what the events of a shop mean in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from cutline.context import Aggregate, Context, Event
from cutline.translator import DomainEvent, EventTranslator, IntegrationEvent


class SaleAgreed(Event):
    """A buyer and the shop agreed."""

    buyer: str
    total: Decimal = Field(max_digits=12, decimal_places=2)


class ItemPromised(Event):
    """The shop promised an item."""

    identified_by = ("item",)

    item: str = Field(min_length=2)


class PriceSet(Event):
    """The shop set a price, by steps."""

    identified_by = ("amount",)

    amount: Decimal = Field(max_digits=12, decimal_places=2)
    steps: list[Annotated[Decimal, Field(max_digits=12, decimal_places=3)]]


class Counted(Event):
    """The shop counted."""

    number: int


class Stranger(Event):
    """It is of no context."""


SALE = Aggregate(
    name="sale", doc="A sale.", events=(SaleAgreed, ItemPromised, PriceSet, Counted), state={}
)
SALES = Context(name="sales", doc="What the shop sold.", aggregates=(SALE,))


class ShopOrders(EventTranslator):
    """Orders of the shop. `answer` of a payload says what else is to be given, for tests."""

    context = SALES
    version = "2.1.0"
    types = ("OrderPlaced", "OrderSeen", "PriceSet")

    def translate(self, event: IntegrationEvent) -> Iterable[DomainEvent]:
        if event.type == "OrderSeen":
            return []
        if event.type == "PriceSet":
            price = event.data["price"]
            return [DomainEvent(PriceSet(amount=price, steps=[price]))]
        if "calls" in event.data:
            with Path(event.data["calls"]).open("a", encoding="utf-8") as file:
                file.write(f"{event.id}\n")
        if "raise" in event.data:
            raise SystemExit if event.data["raise"] == "exit" else ValueError(event.data["raise"])
        if "answer" in event.data:
            return [ANSWERS[event.data["answer"]]]
        return self._agreed(event)

    def _agreed(self, event: IntegrationEvent) -> list[DomainEvent]:
        data = event.data
        agreed = SaleAgreed(buyer=data["customer"], total=data.get("total", 0))
        later = event.time + dt.timedelta(seconds=1)
        promised = [
            DomainEvent(ItemPromised(item=item), subject=f"sale-{event.subject}", time=later)
            for item in data.get("items", ())
        ]
        return [DomainEvent(agreed, f"sale-{event.subject}", confidence="exact"), *promised]


_AGREED = SaleAgreed(buyer="Ann", total=Decimal(1))
_LAST = dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-9)))
ANSWERS: Mapping[str, Any] = {
    "text": "sold",
    "stranger": DomainEvent(Stranger()),
    "no subject": DomainEvent(_AGREED, subject=""),
    "naive": DomainEvent(_AGREED, time=dt.datetime(2026, 11, 1)),
    "a date": DomainEvent(_AGREED, time=dt.date(2026, 11, 1)),  # type: ignore[arg-type]
    "a number": DomainEvent(_AGREED, subject=7),  # type: ignore[arg-type]
    "half a character": DomainEvent(_AGREED, subject="\ud800"),
    "too late": DomainEvent(_AGREED, time=_LAST),
    "too large": DomainEvent(Counted(number=10**30)),
    "sure": DomainEvent(_AGREED, confidence="sure"),
    "guess": DomainEvent(_AGREED, time_basis="guess"),
}


def offer(monkeypatch: pytest.MonkeyPatch, group: str, **objects: str) -> None:
    """Let these be what installed packages offer to replays, by their paths."""
    entries = {group: [EntryPoint(name, path, group) for name, path in objects.items()]}
    monkeypatch.setattr("cutline.plugin_objects.entry_points", lambda group: entries.get(group, []))
