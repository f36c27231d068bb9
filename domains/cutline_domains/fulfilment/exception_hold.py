"""Exception Hold: why somebody has to look at an order before it can go on."""

from __future__ import annotations

from typing import Literal

from cutline.context import Aggregate, Event, latest, part_of

HoldKind = Literal[
    "credit",
    "address",
    "fraud",
    "payment",
    "backorder",
    "substitution",
    "damage",
    "manual-review",
    "price-mismatch",
    "tax",
    "no-stock",
    "reschedule",
    "customer-callback",
    "edi-error",
    "aged",
    "duplicate-suspected",
    "return-pending",
    "lost",
]


class ExceptionHoldPlaced(Event):
    """The order has been put on hold. `code` is the legacy's word for it, `kind` ours."""

    order_no: str
    code: str
    kind: HoldKind


EXCEPTION_HOLD = Aggregate(
    name="exception_hold",
    doc="One reason to stop an order; its subject is the order number and the legacy's code.",
    events=(ExceptionHoldPlaced,),
    state={
        "order_no": latest("order_no", ExceptionHoldPlaced),
        "code": latest("code", ExceptionHoldPlaced),
        "kind": latest("kind", ExceptionHoldPlaced),
    },
    part_of=part_of("customer_order", by="order_no"),
)
