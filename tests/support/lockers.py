"""Parcels in lockers, each with or without a hold: two tables of one source."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count
from cutline.translator import (
    COMMIT,
    EACH,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    fact,
    part,
    removed,
    table,
)


class Stored(Event):
    """A parcel lies in a locker."""


class Released(Event):
    """Nothing holds the parcel back any more: its owner is told."""

    side_effect = "sends the pick-up code"


class Held(Event):
    """Something holds the parcel back."""


class Moved(Event):
    """It lies in another box."""

    box: str | None = None


class TakenOut(Event):
    """It was taken out."""


PARCEL = Aggregate(
    name="parcel",
    doc="A parcel.",
    events=(Stored, Released, Held, Moved, TakenOut),
    state={"stored": count(Stored), "released": count(Released)},
)
LOCKERS = Context(name="lockers", doc="Parcels in lockers.", aggregates=(PARCEL,))


class ParcelRow(SourceContract):
    """A parcel."""

    no: T.LongType = column(doc="number", nullable=False)
    box: T.StringType = column(doc="where it lies", nullable=True, ne="?")

    class Config:
        """Where the rows come from."""

        metadata = table("lk", "parcel", key=["no"])


class HoldRow(SourceContract):
    """Why a parcel is not given out."""

    parcel_no: T.LongType = column(doc="parcel", nullable=False)
    why: T.StringType = column(doc="reason", nullable=False)

    class Config:
        """Where the rows come from."""

        metadata = table("lk", "hold", key=["parcel_no", "why"])


class Parcels(Translator):
    """A parcel without a hold is released."""

    context, aggregate, version = LOCKERS, "parcel", "1.0.0"

    parcel = part(ParcelRow, subject="no")
    hold = part(HoldRow, subject="parcel_no", required=False)

    @fact(Stored)
    def stored(self, row):
        return Occurrence(time_basis=COMMIT)

    @fact(Released, transient=True)
    def released(self, row):
        return Occurrence(when=row.hold.parcel_no.isNull(), time_basis=COMMIT)

    @fact(Held, transient=True)
    def held(self, row):
        return Occurrence(when=row.hold.parcel_no.isNotNull(), time_basis=COMMIT)

    @changed(Moved, of="parcel.box")
    def moved(self, row):
        return Occurrence(time_basis=COMMIT, data={"box": row.parcel.box})

    @removed(TakenOut)
    def taken_out(self, row):
        return Occurrence(when=False, time_basis=COMMIT)


class EachParcels(Parcels):
    """The same, where each step of a row has a meaning."""

    within_transaction = EACH
