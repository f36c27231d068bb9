"""Lines that may be logged before their order, with notes and terms: four tables of one source."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count
from cutline.translator import (
    COMMIT,
    EACH,
    HOLD,
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    ignore,
    lookup,
    part,
    reject,
    removed,
    table,
)


class Placed(Event):
    """An order with its line."""

    item: str
    buyer: str | None = None


class Noted(Event):
    """Somebody wrote a note on it."""


class Dropped(Event):
    """Its line was taken out."""


ORDER = Aggregate(
    name="order",
    doc="An order.",
    events=(Placed, Noted, Dropped),
    state={"placed": count(Placed)},
)
SHOP = Context(name="shop", doc="Orders.", aggregates=(ORDER,))


class OrderRow(SourceContract):
    """An order."""

    no: T.LongType = column(doc="number", nullable=False)
    buyer: T.StringType = column(doc="who pays")

    class Config:
        """Where the rows come from."""

        metadata = table("web", "orders", key=["no"])


class LineRow(SourceContract):
    """The line of an order."""

    line_no: T.LongType = column(doc="number", nullable=False)
    order_no: T.LongType = column(doc="of which order", nullable=False)
    item: T.StringType = column(doc="what")

    class Config:
        """Where the rows come from."""

        metadata = table("web", "lines", key=["line_no"])


class NoteRow(SourceContract):
    """A note on an order."""

    order_no: T.LongType = column(doc="of which order", nullable=False)
    text: T.StringType = column(doc="what it says")

    class Config:
        """Where the rows come from."""

        metadata = table("web", "notes", key=["order_no"])


class TermsRow(SourceContract):
    """The terms of an order."""

    order_no: T.LongType = column(doc="of which order", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("web", "terms", key=["order_no"])


class ItemRow(SourceContract):
    """An item that can be ordered."""

    item: T.StringType = column(doc="its name", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("web", "items", key=["item"])


class Orders(Translator):
    """A line waits for its order."""

    context, aggregate, version = SHOP, "order", "1.0.0"

    line = part(LineRow, subject="order_no")
    order = part(OrderRow, subject="no", missing=HOLD)
    note = part(NoteRow, subject="order_no", required=False)

    @fact(Placed)
    def placed(self, row):
        return Occurrence(time_basis=COMMIT, data={"item": row.line.item, "buyer": row.order.buyer})

    @fact(Noted)
    def noted(self, row):
        return Occurrence(when=row.note.text.isNotNull(), time_basis=COMMIT)

    @removed(Dropped)
    def dropped(self, row):
        return Occurrence(when=False, time_basis=COMMIT)

    @reject("no-buyer")
    def no_buyer(self, row):
        """Nobody pays."""
        return row.order.buyer == "?"

    @ignore("test-order")
    def of_a_test(self, row):
        """Placed by a test."""
        return row.order.buyer == "test"


class EachOrders(Orders):
    """The same, where each step of a row has a meaning."""

    within_transaction = EACH


class OrdersWithTerms(Orders):
    """A line waits for its order, and both for their terms."""

    terms = part(TermsRow, subject="order_no", missing=HOLD)


class OrdersOfItems(Orders):
    """A line waits for its order, and looks up an item, which it waits for too."""

    known = lookup(ItemRow, on="item", required=True, missing=HOLD)
