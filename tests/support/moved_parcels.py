"""Parcels whose status means what it means by where they came from, and depots that move."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    fact,
    lifecycle,
    lookup,
    reject,
    table,
)


class Returned(Event):
    """A parcel came back."""


class Touched(Event):
    """Somebody wrote a parcel's row."""

    town: str | None = None


POST = Context(
    name="post",
    doc="Parcels.",
    aggregates=(Aggregate(name="parcel", doc="One.", events=(Returned, Touched), state={}),),
)
FOLLOWS = {"S": ["L", "R"], "L": ["S", "C"], "R": ["S", "C"]}
"""Which status may follow which; what is closed stays closed."""


class ParcelRow(SourceContract):
    """A parcel: stored, lent, at rest or closed."""

    no: T.LongType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="letter", isin=["S", "L", "R", "C"])

    class Config:
        """Where the rows come from."""

        metadata = table(
            "post",
            "parcels",
            key=["no"],
            lifecycle=lifecycle("status", start=["S"], follows=FOLLOWS, otherwise="hold"),
        )


class Moves(Translator):
    """What is lent and stored again came back."""

    context, aggregate, version = POST, "parcel", "1.0.0"
    source, subject = ParcelRow, "no"

    @fact(Returned, many=True)
    def returned(self, row, was):
        return Occurrence(when=(was.status == "L") & (row.status == "S"), time_basis=COMMIT)

    @reject("left-closed")
    def left_closed(self, row, was):
        """What is closed stays closed."""
        return (was.status == "C") & (row.status != "C")


class PlacedRow(SourceContract):
    """A parcel in a depot."""

    no: T.LongType = column(doc="number", nullable=False)
    depot: T.LongType = column(doc="where it lies")
    turn: T.LongType = column(doc="counts its changes")

    class Config:
        """Where the rows come from."""

        metadata = table("post", "placed", key=["no"])


class DepotRow(SourceContract):
    """A depot, which moves from town to town."""

    depot: T.LongType = column(doc="number", nullable=False)
    town: T.StringType = column(doc="where it is")

    class Config:
        """Where the rows come from."""

        metadata = table("post", "depots", key=["depot"])


class Towns(Translator):
    """Each change of a parcel says in which town it lies."""

    context, aggregate, version = POST, "parcel", "1.0.0"
    source, subject = PlacedRow, "no"

    place = lookup(DepotRow, on="depot")

    @changed(Touched, of="turn")
    def touched(self, row):
        return Occurrence(time_basis=COMMIT, data={"town": row.place.town})
