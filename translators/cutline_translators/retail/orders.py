"""Orders: ERP header, shopping cart and warehouse feed speak of the same customer order."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator import (
    COMMIT,
    Occurrence,
    Translator,
    ambiguous,
    fact,
    ignore,
    part,
    reject,
    understood,
)
from cutline_domains.fulfilment import (
    FULFILMENT,
    ExceptionHoldPlaced,
    OrderCancelled,
    OrderCompleted,
    OrderPlaced,
    OrderReleasedToWarehouse,
)
from cutline_translators.retail.contracts import Cart, ErpOrder, WarehouseRelease
from cutline_translators.retail.statuses import (
    CANCELLED,
    CLOSED,
    HOLDS,
    OPEN,
    PARTLY_ELSEWHERE,
    READABLE,
    RELEASED,
    TEST,
)


class ErpOrders(Translator):
    """What an ERP order, its cart and the warehouse's word on it say about a customer order.

    The ERP overwrites the status and keeps no history of holds: a hold is announced when it is
    seen, and that it ended is not.
    """

    context, aggregate, version = FULFILMENT, "customer_order", "1.0.0"

    order = part(ErpOrder, subject="order_no")
    cart = part(Cart, subject="order_no", required=False)
    release = part(WarehouseRelease, subject="order_no", required=False)

    @ignore("test-order")
    def test_order(self, row: Any) -> Any:
        """A test order: no customer ever waited for it."""
        return row.order.status == TEST

    @reject("unreadable-status")
    def unreadable_status(self, row: Any) -> Any:
        """An older migration left this status, and nobody can say any more what it means."""
        return ~F.coalesce(row.order.status.isin(*READABLE), F.lit(False))

    @reject("order-without-order-time")
    def order_without_order_time(self, row: Any) -> Any:
        """Nobody wrote down when the order was placed, so its history has no beginning."""
        return row.order.ordered_at.isNull()

    @ambiguous("closed-and-cancelled")
    def closed_and_cancelled(self, row: Any) -> Any:
        """The order is both closed and cancelled: the status says one, a time says the other."""
        return ((row.order.status == CLOSED) & row.order.cancelled_at.isNotNull()) | (
            (row.order.status == CANCELLED) & row.order.closed_at.isNotNull()
        )

    @understood("open-order")
    def open_order(self, row: Any) -> Any:
        """The order goes on: that it was placed is all there is to tell."""
        return row.order.status.isin(*OPEN, *PARTLY_ELSEWHERE)

    @fact(OrderPlaced)
    def placed(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.order.ordered_at.isNotNull(),
            at=row.order.ordered_at,
            data={
                "channel": row.order.channel,
                "customer_no": row.order.customer_no,
                "currency": row.order.currency,
                "total_cents": row.order.total_cents,
                "placed_at": row.order.ordered_at,
                "cart_no": row.cart.cart_no,
            },
        )

    # A released order whose time nobody wrote down does not show it any more once it is closed.
    @fact(OrderReleasedToWarehouse, transient=True)
    def released(self, row: Any) -> Occurrence:
        # A closed order without a release time may have gone over a shop's counter.
        return Occurrence(
            when=(row.order.status == RELEASED)
            | row.order.released_at.isNotNull()
            | F.coalesce(row.release.release_status == "REL", F.lit(False)),
            at=F.coalesce(row.order.released_at, row.release.released_at),
            data={"order_no": row.order.order_no},
        )

    @fact(OrderCompleted)
    def completed(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.order.status == CLOSED,
            at=row.order.closed_at,
            data={"order_no": row.order.order_no},
        )

    @fact(OrderCancelled)
    def cancelled(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.order.status == CANCELLED,
            at=row.order.cancelled_at,
            data={"order_no": row.order.order_no},
        )

    @fact(ExceptionHoldPlaced, transient=True)
    def held(self, row: Any) -> Occurrence:
        # `updated_at` may be of any later change: when the hold was placed is not known.
        return Occurrence(
            when=row.order.status.isin(*HOLDS),
            time_basis=COMMIT,
            subject=(row.order.order_no, row.order.status),
            data={
                "order_no": row.order.order_no,
                "code": row.order.status,
                "kind": _kind(row.order.status),
            },
        )


def _kind(status: Column) -> Column:
    return F.coalesce(*(F.when(status == code, F.lit(kind)) for code, kind in HOLDS.items()))
