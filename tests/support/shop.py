"""A small context and legacy system for the engine's tests."""

from __future__ import annotations

import datetime as dt
from typing import ClassVar, Literal

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import functions as F

from cutline.context import (
    Aggregate,
    Context,
    Event,
    expects,
    last_of_types,
    latest,
    requires,
    total,
)
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    ambiguous,
    column,
    each,
    fact,
    ignore,
    lookup,
    part,
    reject,
    table,
)


class Placed(Event):
    """An order was placed."""

    order: str
    cents: int = Field(ge=0)
    channel: Literal["web", "store"]


class Released(Event):
    """An order was released."""

    order: str


class Cancelled(Event):
    """An order was cancelled."""

    order: str
    reason: str | None = None


class Reserved(Event):
    """A piece of stock was reserved."""

    identified_by: ClassVar[tuple[str, ...]] = ("order", "sku")

    order: str
    sku: str
    quantity: int


ORDER = Aggregate(
    name="order",
    doc="One order.",
    events=(Placed, Released, Cancelled),
    state={
        "status": last_of_types({Placed: "placed", Released: "released", Cancelled: "cancelled"}),
        "cents": latest("cents", Placed),
    },
    order=(
        requires(Released, first=Placed),
        requires(Cancelled, first=Released),
        expects(Released, first=Placed, rule="released-first"),
    ),
)
STOCK = Aggregate(
    name="stock",
    doc="One sku.",
    events=(Reserved,),
    state={"reserved": total("quantity", [Reserved])},
)
SHOP = Context(name="shop", doc="A shop.", aggregates=(ORDER, STOCK))


class OldOrder(SourceContract):
    """One row is one order."""

    no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status", nullable=False, isin=["N", "R", "C", "X", "T", "?"])
    cents: T.LongType = column(doc="cents", stable=True, ge=0)
    channel: T.StringType = column(doc="channel", stable=True)
    placed_at: T.TimestampType = column(doc="placed")
    released_at: T.TimestampType = column(doc="released")

    class Config:
        metadata = table("old", "orders", key=["no"])


class OldCart(SourceContract):
    """One row is one cart."""

    cart: T.StringType = column(doc="cart", nullable=False)
    no: T.StringType = column(doc="order")
    channel: T.StringType = column(doc="channel")

    class Config:
        metadata = table("web", "carts", key=["cart"])


class OldPiece(SourceContract):
    """One row is one piece of a bundle."""

    bundle: T.StringType = column(doc="bundle", nullable=False)
    sku: T.StringType = column(doc="sku", nullable=False)
    pieces: T.LongType = column(doc="pieces", nullable=False)

    class Config:
        metadata = table("old", "pieces", key=["bundle", "sku"])


class OldLine(SourceContract):
    """One row is one order line."""

    no: T.StringType = column(doc="order", nullable=False)
    sku: T.StringType = column(doc="sku", nullable=False)
    quantity: T.LongType = column(doc="quantity")
    reserved: T.BooleanType = column(doc="reserved")

    class Config:
        metadata = table("old", "lines", key=["no", "sku"])


class Orders(Translator):
    """Orders from one table."""

    context = SHOP
    aggregate = "order"
    version = "1.0.0"
    source = OldOrder
    subject = "no"

    @reject("unreadable-status")
    def unreadable(self, row):
        """Nobody can read this status."""
        return row.status == "?"

    @ambiguous("cancelled-and-released")
    def cancelled_and_released(self, row):
        """Cancelled, and released."""
        return (row.status == "C") & row.released_at.isNotNull()

    @ignore("test-order")
    def test(self, row):
        """A test order."""
        return row.status == "T"

    @fact(Placed)
    def placed(self, row):
        return Occurrence(
            when=F.lit(True),
            at=row.placed_at,
            data={"order": row.no, "cents": row.cents, "channel": row.channel},
        )

    @fact(Released)
    def released(self, row):
        return Occurrence(
            when=row.status.isin("R", "X"), at=row.released_at, data={"order": row.no}
        )

    @fact(Cancelled)
    def cancelled(self, row):
        return Occurrence(when=row.status == "C", time_basis="commit", data={"order": row.no})


class ComposedOrders(Translator):
    """Orders from two systems."""

    context = SHOP
    aggregate = "order"
    version = "2.1.0"
    order = part(OldOrder, subject="no")
    cart = part(OldCart, subject="no", required=False)

    @fact(Placed)
    def placed(self, row):
        channel = F.coalesce(row.cart.channel, F.lit("store"))
        return Occurrence(
            when=F.lit(True),
            at=row.order.placed_at,
            data={"order": row.order.no, "cents": row.order.cents, "channel": channel},
        )

    @fact(Released)
    def released(self, row):
        return Occurrence(
            when=row.order.status == "R", at=row.order.released_at, data={"order": row.order.no}
        )


class StrictCart(SourceContract):
    """One row is one cart, whose channel must be known."""

    cart: T.StringType = column(doc="cart", nullable=False)
    no: T.StringType = column(doc="order")
    channel: T.StringType = column(doc="channel", nullable=False)

    class Config:
        metadata = table("web", "strict_carts", key=["cart"])


class StrictlyComposed(ComposedOrders):
    """The same, of carts that may break their contract."""

    version = "2.1.0"
    cart = part(StrictCart, subject="no", required=False)


class Lines(Translator):
    """Lines, decomposed into pieces."""

    context = SHOP
    aggregate = "stock"
    version = "1.0.0"
    source = OldLine
    subject = ("no", "sku")
    pieces = lookup(OldPiece, on="sku", by="bundle", many=True)
    order = lookup(OldOrder, on="no")

    @reject("orphan-line")
    def orphan(self, row):
        """The order is not there."""
        return row.order.no.isNull()

    @fact(Reserved)
    def reserved(self, row):
        return each(
            row.pieces,
            lambda piece: Occurrence(
                when=row.reserved,
                time_basis="commit",
                subject=["eu", piece.sku],
                data={"order": row.no, "sku": piece.sku, "quantity": row.quantity * piece.pieces},
            ),
        )


MORNING = dt.datetime(2026, 10, 1, 8, 0, tzinfo=dt.UTC)
NOON = dt.datetime(2026, 10, 1, 12, 0, tzinfo=dt.UTC)


def order(no: str, status: str = "N", **more: object) -> dict[str, object]:
    """A plausible order row; `more` overrides its columns."""
    row: dict[str, object] = {
        "no": no,
        "status": status,
        "cents": 100,
        "channel": "web",
        "placed_at": MORNING,
        "released_at": NOON if status in "RX" else None,
    }
    return row | more
