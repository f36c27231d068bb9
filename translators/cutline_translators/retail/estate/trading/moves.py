"""The steps that an order of the ERP can take, and what they do to its lines and to stock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Move:
    """A step of orders with a status of `start` and no line with one of `without`.

    The order takes on one of `becomes`, and the moment in the columns `times` that are empty. Its
    lines with the status `line_start` take on `line_status`, and the moment in `line_time`.
    `reserves` is 1 where stock is set aside for these lines, -1 where it no longer is.
    """

    start: tuple[str, ...]
    becomes: tuple[str, ...]
    weight: float
    times: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    line_start: str = ""
    line_status: str | None = None
    line_time: str = ""
    reserves: int = 0


MOVES = (
    Move(("NEW",), ("BOOKED",), 0.2, ("booked_at",)),
    Move(
        ("NEW", "BOOKED"),
        ("ALLOCATED",),
        0.4,
        ("booked_at", "allocated_at"),
        line_start="OPEN",
        line_status="ALLOCATED",
        line_time="allocated_at",
        reserves=1,
    ),
    Move(("ALLOCATED",), ("RELEASED",), 0.15, ("released_at",), without=("OPEN",)),
    Move(
        ("RELEASED",),
        ("CLOSED",),
        0.1,
        ("closed_at",),
        without=("OPEN",),
        line_start="ALLOCATED",
        line_status="SHIPPED",
        line_time="shipped_at",
        reserves=-1,
    ),
    Move(
        ("NEW", "BOOKED"),
        ("CANCL",),
        0.1,
        ("cancelled_at",),
        without=("ALLOCATED",),
        line_start="OPEN",
        line_status="CANCELLED",
        line_time="cancelled_at",
    ),
    # A hold that ends is not announced, so none does.
    Move(("BOOKED",), ("CRHLD", "ADRCK", "PAYPD", "CUSTC"), 0.05),
)
"""All of them."""
