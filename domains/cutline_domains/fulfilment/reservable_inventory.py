"""Reservable Inventory: what is there of an article in a region, and what is promised of it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from cutline.context import Aggregate, Event, expects, latest, total, unit


class StockCounted(Event):
    """Somebody has counted `quantity` pieces on the shelves; earlier adjustments are in it."""

    region: str
    sku: str
    quantity: Annotated[int, unit("pieces")]


class StockAdjusted(Event):
    """Stock has been corrected by `delta` pieces since the count, up or down."""

    identified_by: ClassVar[tuple[str, ...]] = ("adjustment_no",)

    adjustment_no: str
    region: str
    sku: str
    delta: Annotated[int, unit("pieces")]
    reason: str


class StockBooked(Event):
    """The books say that `quantity` pieces are owned, wherever they are."""

    region: str
    sku: str
    quantity: Annotated[int, unit("pieces")]


class InventoryReserved(Event):
    """`quantity` pieces of `sku` have been set aside for a line of an order."""

    identified_by: ClassVar[tuple[str, ...]] = ("order_no", "line_no", "sku")

    region: str
    sku: str
    order_no: str
    line_no: int
    quantity: Annotated[int, unit("pieces"), Field(gt=0)]


class ReservationEnded(Event):
    """The `quantity` pieces set aside for a line are no longer: they left, or are free again."""

    identified_by: ClassVar[tuple[str, ...]] = ("order_no", "line_no", "sku")

    region: str
    sku: str
    order_no: str
    line_no: int
    quantity: Annotated[int, unit("pieces"), Field(gt=0)]


EVENTS = (StockCounted, StockAdjusted, StockBooked, InventoryReserved, ReservationEnded)

RESERVABLE_INVENTORY = Aggregate(
    name="reservable_inventory",
    doc="What can be promised of an article; its subject is the region and the article.",
    events=EVENTS,
    state={
        "region": latest("region", *EVENTS),
        "sku": latest("sku", *EVENTS),
        "counted": latest("quantity", StockCounted),
        "adjusted": total("delta", [StockAdjusted]),
        "financial": latest("quantity", StockBooked),
        "reserved": total("quantity", [InventoryReserved], [ReservationEnded]),
    },
    order=(
        expects(
            ReservationEnded,
            first=InventoryReserved,
            rule="reservation-ended-before-it-began",
            missing="reservation-ended-but-never-began",
        ),
    ),
)
