"""A translator over local times keeps what every translator must, and tells them as UTC's clock."""

from __future__ import annotations

import datetime as dt

import pyspark.sql.types as T
import pytest

from cutline.conformance import conformance
from cutline.context import Aggregate, Context, Event, latest
from cutline.testing import event, given, row, snapshot, specification, updated
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    changed,
    column,
    fact,
    table,
)

pytestmark = pytest.mark.usefixtures("spark")


class Opened(Event):
    """A slot was opened."""

    at: dt.datetime


class Moved(Event):
    """A slot was moved."""

    to: dt.datetime | None = None


SLOT = Aggregate(name="slot", doc="A slot.", events=(Opened, Moved), state={"at": latest("at", Opened)})  # fmt: skip
SHOP = Context(name="shop", doc="A shop.", aggregates=(SLOT,))


class SlotRow(SourceContract):
    """One slot."""

    id: T.IntegerType = column(doc="its number", nullable=False)
    opened: T.TimestampNTZType = column(doc="when it was opened", stable=True)
    ends: T.TimestampNTZType = column(doc="when it ends")

    class Config:
        metadata = table("legacy", "slots", key=["id"])


class Slots(Translator):
    context, aggregate, version = SHOP, "slot", "1.0.0"
    source, subject = SlotRow, "id"

    @fact(Opened)
    def opened(self, row):
        return Occurrence(when=row.opened.isNotNull(), at=row.opened, data={"at": row.opened})

    @changed(Moved, of="ends")
    def moved(self, row):
        return Occurrence(at=row.ends, data={"to": row.ends})


SLOTS = Translation(name="slots", version="1.0.0", context=SHOP, translators=(Slots,))
FIRST = row(SlotRow, id=1, opened="2026-07-01T12:00:00", ends="2026-07-02T12:00:00")

test_conforms = conformance(SLOTS, histories=20)

test_slots = specification(
    Slots,
    {
        "a local time is told by UTC's clock": given(
            snapshot(FIRST), updated(FIRST, ends="2026-07-03T12:00:00", at="2026-07-02T08:00Z")
        ).means(
            event(
                Opened,
                time="2026-07-01T12:00:00Z",
                confidence="exact",
                data={"at": "2026-07-01T12:00:00Z"},
            ),
            event(
                Moved,
                time="2026-07-03T12:00:00Z",
                confidence="exact",
                data={"to": "2026-07-03T12:00:00Z"},
            ),
        ),
    },
).tests()
