"""Orders and stock as a context: every column of every image that a commit left is announced.

Each is a table of a source of its own, so that one run has two snapshots of the database. Lines of
orders are written too, and read by nobody here.
"""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, latest
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    changed,
    column,
    fact,
    removed,
    table,
)


class OrderOnShelf(Event):
    """An order as it was first seen: in the snapshot, or when it was placed."""

    status: str
    amount: Annotated[Decimal, Field(max_digits=12, decimal_places=2)] | None = None
    note: str | None = None
    document: str | None = None
    changed_at: dt.datetime


class OrderWritten(OrderOnShelf):
    """A commit left another image of an order."""


class OrderStruck(Event):
    """An order is no more."""


class StockCounted(Event):
    """The stock of an article as it was first seen."""

    pieces: int


class StockMoved(Event):
    """A commit left another stock of an article."""

    pieces: int


_ORDER = ("status", "amount", "note", "document", "changed_at")

WAREHOUSE_CONTEXT = Context(
    "warehouse",
    "What stands on the shelves.",
    (
        # An order that gets another number goes on under it.
        Aggregate(
            "order",
            "One order.",
            (OrderOnShelf, OrderWritten, OrderStruck),
            {name: latest(name, OrderOnShelf, OrderWritten) for name in _ORDER},
            ended_by=(OrderStruck,),
        ),
        Aggregate(
            "stock",
            "One article's stock.",
            (StockCounted, StockMoved),
            {"pieces": latest("pieces", StockCounted, StockMoved)},
        ),
    ),
)


class ShelfOrder(SourceContract):
    """One order."""

    order_no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status")
    amount: Annotated[T.DecimalType, 12, 2] = column(doc="amount")
    note: T.StringType = column(doc="note")
    document: T.StringType = column(doc="a large text")
    placed_at: T.TimestampType = column(doc="when it was placed")
    changed_at: T.TimestampType = column(doc="when it was changed")

    class Config:
        metadata = table("sales", "orders", key=["order_no"])


class ShelfStock(SourceContract):
    """One article's stock."""

    sku: T.StringType = column(doc="article", nullable=False)
    pieces: T.IntegerType = column(doc="pieces")

    class Config:
        metadata = table("shelves", "stock", key=["sku"])


def _order_payload(row: Any) -> dict[str, Any]:
    payload = {name: getattr(row, name) for name in _ORDER}
    # Other documents are other digests, and a placeholder is none of them.
    return payload | {"document": F.sha2(row.document, 256)}


class ShelfOrders(Translator):
    context, aggregate, version = WAREHOUSE_CONTEXT, "order", "1.0.0"
    source, subject = ShelfOrder, "order_no"

    @fact(OrderOnShelf)
    def on_shelf(self, row: Any) -> Occurrence:
        return Occurrence(time_basis="commit", data=_order_payload(row))

    @changed(OrderWritten, of=_ORDER)
    def written(self, row: Any) -> Occurrence:
        return Occurrence(time_basis="commit", data=_order_payload(row))

    @removed(OrderStruck)
    def struck(self, row: Any) -> Occurrence:
        return Occurrence(when=False, time_basis="commit")


class ShelfStocks(Translator):
    context, aggregate, version = WAREHOUSE_CONTEXT, "stock", "1.0.0"
    source, subject = ShelfStock, "sku"

    @fact(StockCounted)
    def counted(self, row: Any) -> Occurrence:
        return Occurrence(time_basis="commit", data={"pieces": row.pieces})

    @changed(StockMoved, of="pieces")
    def moved(self, row: Any) -> Occurrence:
        return Occurrence(time_basis="commit", data={"pieces": row.pieces})


WAREHOUSE = Translation(
    name="shelves",
    version="1.0.0",
    context=WAREHOUSE_CONTEXT,
    translators=(ShelfOrders, ShelfStocks),
)
