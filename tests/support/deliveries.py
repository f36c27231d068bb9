"""Orders whose delivery no row tells: an entry goes and a carrier is set in one commit."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    in_commit,
    part,
    reject,
    table,
)


class Placed(Event):
    """The order was placed."""


class Delivered(Event):
    """The order left with a carrier; `lines` of it in one go, worth `amount`."""

    carrier: str
    lines: int
    amount: int


ORDER = Aggregate(
    name="order",
    doc="An order.",
    events=(Placed, Delivered),
    state={"placed": count(Placed), "deliveries": count(Delivered)},
)
DELIVERIES = Context(name="deliveries", doc="Orders and who took them.", aggregates=(ORDER,))


class OrderRow(SourceContract):
    """One row per order."""

    no: T.IntegerType = column(doc="the number", nullable=False)
    carrier: T.StringType = column(nullable=True, doc="who took it")

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "orders", key=["no"])


class LineRow(SourceContract):
    """One row per order line."""

    order_no: T.IntegerType = column(doc="the order", nullable=False)
    line: T.IntegerType = column(doc="its place", nullable=False)
    amount: T.IntegerType = column(ge=0, nullable=True, doc="what it costs")

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "lines", key=["order_no", "line"])


class NewOrderRow(SourceContract):
    """One row per order that nobody has delivered yet."""

    order_no: T.IntegerType = column(doc="the order", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("shop", "new_orders", key=["order_no"])


class Orders(Translator):
    """Says of orders when they were placed and delivered."""

    context, aggregate, version = DELIVERIES, "order", "1.0.0"
    order = part(OrderRow, subject="no")
    entries = in_commit(NewOrderRow, subject="order_no")
    lines = in_commit(LineRow, subject="order_no", sums="amount")

    @reject("lost")
    def lost(self, row):
        """Nobody knows where it is."""
        return row.order.carrier == "?"

    @fact(Placed)
    def placed(self, row):
        return Occurrence(when=row.order.no.isNotNull(), time_basis="commit")

    @fact(Delivered, many=True)
    def delivered(self, row):
        was_delivered = (row.entries.deleted == 1) & row.order.carrier.isNotNull()
        return Occurrence(
            when=was_delivered,
            time_basis="commit",
            data={
                "carrier": row.order.carrier,
                "lines": row.lines.updated,
                "amount": row.lines.amount,
            },
        )
