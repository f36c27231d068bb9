"""Cases of one transaction: its changes are seen together, or not at all."""

from __future__ import annotations

import pytest

from cutline.errors import ConfigurationError
from cutline.testing import (
    created,
    deleted,
    event,
    given,
    nothing,
    quarantined,
    row,
    snapshot,
    specification,
    together,
    translated,
    updated,
)
from support.late_orders import LineRow, OrderRow, Orders, Placed
from support.lockers import Held, HoldRow, ParcelRow, Parcels, Released, Stored

pytestmark = pytest.mark.usefixtures("spark")

PARCEL, HOLD = row(ParcelRow, no=1), row(HoldRow, parcel_no=1, why="customs")

test_parcels = specification(
    Parcels,
    {
        "a parcel that is never without its hold": given(
            together(created(PARCEL), created(HOLD))
        ).means(event(Stored), event(Held)),
        "a parcel that is held later": given(created(PARCEL), created(HOLD)).means(
            event(Stored), event(Released), event(Held)
        ),
        "a hold that is swapped": given(
            snapshot(PARCEL), snapshot(HOLD), together(deleted(HOLD), created(HOLD, why="unpaid"))
        ).means(event(Stored), event(Held)),
    },
).tests()

LINE, ORDER = row(LineRow, line_no=7, order_no=1, item="tea"), row(OrderRow, no=1, buyer="Ann")

test_orders = specification(
    Orders,
    {
        "a line before its order": given(created(LINE), created(ORDER)).means(
            event(Placed, {"item": "tea"}, subject="1"),
            translated("Placed"),
            translated("Placed"),
        ),
        "a line that changes before its order comes": given(
            snapshot(LINE), updated(LINE, item="oil"), created(ORDER)
        ).means(
            event(Placed, {"item": "oil"}),
            nothing("changed-while-held"),
            translated("Placed"),
            translated("Placed"),
        ),
        "an order that never comes": given(created(LINE)).means(quarantined("part-awaited:order")),
    },
).tests()


def test_a_row_of_the_snapshot_is_in_no_transaction() -> None:
    with pytest.raises(ConfigurationError, match="no change of a transaction"):
        together(snapshot(PARCEL))
