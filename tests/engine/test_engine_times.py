"""Which events call themselves exact: a time, as a payload, is what the row knows of the rise."""

from __future__ import annotations

from typing import Any, ClassVar

import pyspark.sql.types as T
import pytest
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event
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
    translated,
    updated,
)
from cutline.translator import (
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    each,
    fact,
    lookup,
    reject,
    removed,
    table,
)

pytestmark = pytest.mark.usefixtures("spark")


class Sorted(Event):
    """It lies in its bay."""


class Left(Event):
    """It is on its way."""

    bay: str | None


class Weighed(Event):
    """Somebody put it on the scales."""


class Stamped(Event):
    """A stamp was put on it."""

    identified_by: ClassVar[tuple[str, ...]] = ("n",)

    n: int


class Moved(Event):
    """It lies elsewhere."""


class Cleared(Event):
    """Customs let it through."""


class Vanished(Event):
    """Its row went away."""


PARCEL = Aggregate(
    name="parcel",
    doc="A parcel.",
    events=(Sorted, Weighed, Stamped, Moved, Cleared, Left, Vanished),
    state={},
)
DEPOT = Context(name="depot", doc="Parcels.", aggregates=(PARCEL,))


class ParcelRow(SourceContract):
    """A parcel now."""

    no: T.StringType = column(doc="its number", nullable=False)
    st: T.StringType = column(doc="T taken, S sorted, L left", isin=["T", "S", "L"])
    bay: T.StringType = column(doc="where it lies")
    touched: T.TimestampType = column(doc="when it was last written")
    left_at: T.TimestampType = column(doc="when it left", stable=True)
    stamps: T.StringType = column(doc="JSON, what was put on it and when")
    office: T.StringType = column(doc="the customs office")

    class Config:
        """Where the rows come from."""

        metadata = table("depot", "parcels", key=["no"])


class OfficeRow(SourceContract):
    """A customs office."""

    office: T.StringType = column(doc="its name", nullable=False)
    opened: T.TimestampType = column(doc="when it last opened")

    class Config:
        """Where the rows come from."""

        metadata = table("depot", "offices", key=["office"])


STAMPS = "array<struct<n:int,at:timestamp>>"


class Parcels(Translator):
    """Parcels, by one column of the last write and one that is written once."""

    context, aggregate, version = DEPOT, "parcel", "1.0.0"
    source, subject = ParcelRow, "no"
    customs = lookup(OfficeRow, on="office")

    @reject("nowhere")
    def nowhere(self, row: Any) -> Any:
        """Nobody knows where it lies."""
        return row.bay == "?"

    @fact(Sorted)
    def sorted_(self, row: Any) -> Occurrence:
        return Occurrence(when=row.st.isin("S", "L"), at=row.touched)

    @fact(Stamped)
    def stamped(self, row: Any) -> Any:
        return each(
            F.from_json(row.stamps, STAMPS),
            lambda stamp: Occurrence(at=F.coalesce(stamp.at, row.touched), data={"n": stamp.n}),
        )

    @changed(Moved, of="bay")
    def moved(self, row: Any) -> Occurrence:
        return Occurrence(at=row.touched)

    @fact(Cleared)
    def cleared(self, row: Any) -> Occurrence:
        return Occurrence(at=row.customs.opened, when=row.customs.opened.isNotNull())

    @fact(Left)
    def left(self, row: Any) -> Occurrence:
        return Occurrence(when=row.st == "L", at=row.left_at, data={"bay": row.bay})

    @removed(Vanished)
    def vanished(self, row: Any) -> Occurrence:
        return Occurrence(when=False, at=row.touched)


class InPython(Translator):
    """The same in Python, where nobody knows what is looked at."""

    context, aggregate, version = DEPOT, "parcel", "1.0.0"
    source, subject = ParcelRow, "no"

    @fact(Sorted, per_row=True)
    def sorted_(self, row: Any) -> Occurrence:
        return Occurrence(row.st in ("S", "L"), at=row.touched)

    @fact(Left, per_row=True)
    def left(self, row: Any) -> Occurrence:
        return Occurrence(row.st == "L", {"bay": row.bay}, at=row.left_at)


MON, TUE, WED = "2030-03-04T09:00Z", "2030-03-05T09:00Z", "2030-03-06T09:00Z"
TAKEN_IN = row(ParcelRow, no="p", st="T", touched=MON)
SORTED = TAKEN_IN.but(st="S", touched=TUE)
LEFT = SORTED.but(st="L", touched=WED, left_at=WED)
NOWHERE = SORTED.but(bay="?")
ONE_STAMP, TWO_STAMPS = '[{"n":1}]', '[{"n":1},{"n":2}]'
DATED = '[{"n":1,"at":"2030-03-05T09:00:00Z"}]'
OPEN = snapshot(OfficeRow, office="x", opened=MON)


def exact(kind: type[Event], time: str) -> Any:
    return event(kind, confidence="exact", time=time)


def inferred(kind: type[Event], time: str) -> Any:
    return event(kind, confidence="inferred", time=time)


test_the_label_of_a_time = specification(
    Parcels,
    {
        "a snapshot shows when the row was written last": given(snapshot(SORTED)).means(
            inferred(Sorted, TUE)
        ),
        "what is written once it shows, but not what lay beside it": given(snapshot(LEFT)).means(
            inferred(Sorted, WED), inferred(Left, WED)
        ),
        "the change that made it true wrote the time": given(
            snapshot(TAKEN_IN), updated(TAKEN_IN, st="S", touched=TUE, at=TUE)
        ).means(exact(Sorted, TUE)),
        "so did the one that made the row": given(created(SORTED, at=TUE)).means(
            exact(Sorted, TUE)
        ),
        "another wrote the time": given(
            snapshot(TAKEN_IN), updated(TAKEN_IN, st="S", at=TUE)
        ).means(inferred(Sorted, MON)),
        "what never moves may be of any write": given(
            snapshot(SORTED), updated(SORTED.but(left_at=TUE), st="L", touched=WED, at=WED)
        ).means(inferred(Sorted, TUE), exact(Left, TUE)),
        "it was true already of a row that was put aside": given(
            snapshot(NOWHERE.but(st="T", touched=MON)),
            updated(NOWHERE.but(st="T", touched=MON), st="S", touched=TUE, at=TUE),
            updated(NOWHERE, bay=None, touched=WED, at=WED),
        ).means(
            quarantined("nowhere"),
            quarantined("nowhere"),
            translated(),
            inferred(Sorted, WED),
        ),
        "and of one that nobody could read": given(
            snapshot(SORTED),
            updated(SORTED, st="X", at=TUE),
            updated(SORTED.but(st="X"), st="L", left_at=WED, touched=WED, at=WED),
        ).means(
            translated(),
            quarantined(),
            translated(),
            inferred(Sorted, TUE),
            inferred(Left, WED),
        ),
        "which is over once it was read": given(
            snapshot(TAKEN_IN),
            updated(TAKEN_IN, st="X", at=TUE),
            updated(TAKEN_IN.but(st="X"), st="T", at=TUE),
            updated(TAKEN_IN, st="S", touched=WED, at=WED),
        ).means(nothing(), quarantined(), nothing(), translated(), exact(Sorted, WED)),
        "of an element the row's time is new": given(
            snapshot(TAKEN_IN.but(stamps=ONE_STAMP)),
            updated(TAKEN_IN.but(stamps=ONE_STAMP), stamps=TWO_STAMPS, touched=TUE, at=TUE),
        ).means(inferred(Stamped, MON), exact(Stamped, TUE)),
        "or is not": given(snapshot(TAKEN_IN), updated(TAKEN_IN, stamps=ONE_STAMP, at=TUE)).means(
            inferred(Stamped, MON)
        ),
        "or stands in the element": given(
            snapshot(TAKEN_IN), updated(TAKEN_IN, stamps=DATED, at=TUE)
        ).means(exact(Stamped, TUE)),
        "a value that moves": given(
            snapshot(TAKEN_IN.but(bay="a")),
            updated(TAKEN_IN.but(bay="a"), bay="b", touched=TUE, at=TUE),
            updated(TAKEN_IN.but(bay="b", touched=TUE), bay="c", at=WED),
        ).means(exact(Moved, TUE), inferred(Moved, TUE)),
        "no change of a row sets what is looked up": given(
            OPEN, created(TAKEN_IN.but(office="x"), at=MON)
        ).means(inferred(Cleared, MON)),
        "a row that goes does not say when": given(
            snapshot(TAKEN_IN), deleted(TAKEN_IN, at=WED)
        ).means(inferred(Vanished, MON)),
    },
).tests()

test_the_label_of_a_time_that_python_tells = specification(
    InPython,
    {
        "a column that moves": given(
            snapshot(TAKEN_IN),
            updated(TAKEN_IN, st="S", touched=TUE, at=TUE),
        ).means(exact(Sorted, TUE)),
        "and did not": given(snapshot(TAKEN_IN), updated(TAKEN_IN, st="S", at=TUE)).means(
            inferred(Sorted, MON)
        ),
        "one that never does": given(
            snapshot(TAKEN_IN.but(left_at=TUE)),
            updated(TAKEN_IN.but(left_at=TUE), st="L", touched=WED, at=WED),
        ).means(exact(Sorted, WED), exact(Left, TUE)),
        "the first image": given(created(SORTED, at=TUE)).means(exact(Sorted, TUE)),
        "a snapshot": given(snapshot(SORTED)).means(inferred(Sorted, TUE)),
    },
).tests()
