"""A transaction as a unit of meaning: facts that ask what else their commit did."""

from __future__ import annotations

import pytest

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
from support.deliveries import Delivered, LineRow, NewOrderRow, OrderRow, Orders, Placed

pytestmark = pytest.mark.usefixtures("spark")

ORDER = row(OrderRow, no=1)
ENTRY = row(NewOrderRow, order_no=1)
FIRST = row(LineRow, order_no=1, line=1, amount=30)
SECOND = row(LineRow, order_no=1, line=2, amount=12)
OTHERS = row(LineRow, order_no=2, line=1, amount=500)
HANDED_OVER = updated(ORDER, carrier="DHL")
SHOWN = (snapshot(ORDER), snapshot(ENTRY), snapshot(FIRST), snapshot(SECOND))
SENT = updated(FIRST, amount=31), updated(SECOND, amount=13)

test_orders = specification(
    Orders,
    {
        "delivered in one commit": given(
            *SHOWN, together(deleted(ENTRY), HANDED_OVER, *SENT)
        ).means(
            event(Placed),
            event(Delivered, subject="1", data={"carrier": "DHL", "lines": 2, "amount": 44}),
        ),
        "the order of the rows does not matter": given(
            *SHOWN, together(*SENT, HANDED_OVER, deleted(ENTRY))
        ).means(event(Placed), event(Delivered, data={"lines": 2, "amount": 44})),
        "in two commits it is not": given(
            *SHOWN, together(HANDED_OVER, *SENT), deleted(ENTRY)
        ).means(event(Placed)),
        "what another order's commit did is not asked": given(
            *SHOWN,
            snapshot(OTHERS),
            together(deleted(ENTRY), HANDED_OVER, updated(OTHERS, amount=1)),
        ).means(event(Placed), event(Delivered, data={"lines": 0, "amount": 0})),
        "a row that moves twice counts once, as the commit left it": given(
            *SHOWN,
            together(
                deleted(ENTRY), HANDED_OVER, updated(FIRST, amount=5), updated(FIRST, amount=6)
            ),
        ).means(event(Placed), event(Delivered, data={"lines": 1, "amount": 6})),
        "a row that came and went counts not at all": given(
            *SHOWN,
            together(
                created(LineRow, order_no=1, line=9, amount=9),
                deleted(ENTRY),
                HANDED_OVER,
                deleted(LineRow, order_no=1, line=9, amount=9),
            ),
        ).means(event(Placed), event(Delivered, data={"lines": 0, "amount": 0})),
        "a row that was taken out and put in again was updated": given(
            *SHOWN, together(deleted(FIRST), created(FIRST, amount=8), deleted(ENTRY), HANDED_OVER)
        ).means(event(Placed), event(Delivered, data={"lines": 1, "amount": 8})),
        "a row that went to another order is no longer here": given(
            *SHOWN, together(updated(FIRST, order_no=2), deleted(ENTRY), HANDED_OVER)
        ).means(event(Placed), event(Delivered, data={"lines": 0, "amount": 0})),
        "an amount that is null makes no sum": given(
            *SHOWN, together(deleted(ENTRY), HANDED_OVER, updated(FIRST, amount=None))
        ).means(event(Placed), translated("Placed"), quarantined("payload:Delivered.amount")),
        "a line that was put aside leaves the sum in doubt": given(
            *SHOWN, together(deleted(ENTRY), HANDED_OVER, SENT[0], updated(SECOND, amount=-1))
        ).means(event(Placed), translated("Placed"), quarantined("commit-in-doubt:lines")),
        "what was put aside is told of the next commit that says so": given(
            *SHOWN,
            together(deleted(ENTRY), updated(ORDER, carrier="?")),
            together(created(ENTRY), updated(ORDER, carrier="UPS")),
            together(deleted(ENTRY), updated(ORDER.but(carrier="UPS"), carrier="GLS")),
        ).means(
            event(Placed),
            event(Delivered, data={"carrier": "GLS"}),
            translated("Placed"),
            quarantined("lost"),
            nothing(),
            translated("Delivered"),
        ),
        "it happens again with another commit": given(
            *SHOWN,
            together(deleted(ENTRY), HANDED_OVER),
            together(created(ENTRY), updated(ORDER.but(carrier="DHL"), carrier=None)),
            together(deleted(ENTRY), HANDED_OVER),
        ).means(event(Placed), event(Delivered), event(Delivered)),
        "an order that came delivered by its first commit": given(
            snapshot(ENTRY), together(created(ORDER, carrier="DHL"), deleted(ENTRY), created(FIRST))
        ).means(event(Placed), event(Delivered, data={"lines": 0, "amount": 30})),
        "a commit of lines alone asks nobody": given(*SHOWN, together(*SENT)).means(event(Placed)),
        "a snapshot tells no commit": given(*SHOWN).means(event(Placed)),
    },
).tests()
