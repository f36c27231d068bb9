"""The plugins that `extremes.py` runs: one table with a lookup, one of 500 columns, 200 facts."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pyspark.sql.types as T
from pydantic import Field

from cutline.context import Aggregate, Context, Event, last_of_types, latest, unit
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    Truth,
    changed,
    column,
    fact,
    lookup,
    table,
    understood,
)

MANY = [f"c{number:03d}" for number in range(497)]
"""Columns of the wide table, beside three that say something."""

RULES = 200
"""Facts of the translator with many, each with an event of its own."""


class ItemOpened(Event):
    """An item came to be."""

    label: str


class AmountSet(Event):
    """What an item is worth from now on."""

    identified_by: ClassVar[tuple[str, ...]] = ("amount_cents",)

    amount_cents: Annotated[int, unit("cents"), Field(ge=0)]


def _opened(number: int) -> type[Event]:
    return type(
        f"Item{number:03d}Opened",
        (Event,),
        {"__doc__": f"An item of kind {number} came to be.", "__module__": __name__},
    )


OPENED = [_opened(number) for number in range(RULES)]
ITEM = Aggregate(
    name="item",
    doc="Something that has an amount.",
    events=(ItemOpened, AmountSet),
    state={"amount_cents": latest("amount_cents", AmountSet)},
)
EXTREMES = Context(name="extremes", doc="What is large, skewed or broken.", aggregates=(ITEM,))
KINDS = Context(
    name="kinds",
    doc="What has many types of events.",
    aggregates=(
        Aggregate(
            name="item",
            doc="Something that has a kind.",
            events=tuple(OPENED),
            state={"kind": last_of_types({event: event.__name__ for event in OPENED})},
        ),
    ),
)


class Item(SourceContract):
    """One item."""

    item_no: T.StringType = column(doc="the item", nullable=False)
    kind_no: T.StringType = column(doc="its kind", stable=True)
    amount_cents: T.LongType = column(doc="what it is worth", ge=0)
    opened_at: T.TimestampType = column(doc="when it came to be", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "items", key=["item_no"])


class Kind(SourceContract):
    """One kind of items."""

    kind_no: T.StringType = column(doc="the kind", nullable=False)
    label: T.StringType = column(doc="its name")

    class Config:
        """Where the rows come from."""

        metadata = table("erp", "kinds", key=["kind_no"])


def _wide() -> type[SourceContract]:
    columns: dict[str, Any] = {name: column(doc="one of many") for name in MANY}
    return type(
        "WideItem",
        (SourceContract,),
        {
            "__doc__": "One item, of which much is known.",
            "__module__": __name__,
            "__annotations__": {
                "item_no": T.StringType,
                "amount_cents": T.LongType,
                "opened_at": T.TimestampType,
            }
            | dict.fromkeys(MANY, T.StringType),
            "item_no": column(doc="the item", nullable=False),
            "amount_cents": column(doc="what it is worth", ge=0),
            "opened_at": column(doc="when it came to be", stable=True),
            **columns,
            "Config": type("Config", (), {"metadata": table("erp", "wide", key=["item_no"])}),
        },
    )


WideItem = _wide()


class Items(Translator):
    """An item, its kind and its amount."""

    context, aggregate, version = EXTREMES, "item", "1.0.0"
    source, subject = Item, "item_no"

    kind = lookup(Kind, on="kind_no")

    @fact(ItemOpened)
    def opened(self, row: Any) -> Occurrence:
        return Occurrence(at=row.opened_at, data={"label": row.kind.label})

    @changed(AmountSet, of="amount_cents")
    def amount_set(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT, data={"amount_cents": row.amount_cents})


class WideItems(Translator):
    """An amount among five hundred columns."""

    context, aggregate, version = EXTREMES, "item", "1.0.0"
    source, subject = WideItem, "item_no"

    @fact(AmountSet)
    def amount_set(self, row: Any) -> Occurrence:
        return Occurrence(at=row.opened_at, data={"amount_cents": row.amount_cents})


def _rule(number: int, event: type[Event]) -> Any:
    def opened(_translator: Translator, row: Any) -> Occurrence:
        return Occurrence(when=row.kind_no == f"K-{number}", at=row.opened_at)

    opened.__name__ = f"opened_{number:03d}"
    return fact(event)(opened)


@understood("other")
def _other(_translator: Translator, row: Any) -> Any:
    """Of no kind that matters."""
    return row.kind_no.isNotNull()


ManyRules = type(
    "ManyRules",
    (Translator,),
    {
        "__doc__": "Each kind has a fact of its own.",
        "__module__": __name__,
        "context": KINDS,
        "aggregate": "item",
        "version": "1.0.0",
        "source": Item,
        "subject": "item_no",
        "other": _other,
    }
    | {f"opened_{number:03d}": _rule(number, event) for number, event in enumerate(OPENED)},
)

_ANSWERS = Truth(aggregates={"item": "SELECT item_no AS subject, amount_cents FROM erp.items"})
ITEMS_1 = Translation("items", "1.0.0", EXTREMES, (Items,), truth=_ANSWERS)
WIDE_1 = Translation("wide", "1.0.0", EXTREMES, (WideItems,))
RULES_1 = Translation("rules", "1.0.0", KINDS, (ManyRules,))
