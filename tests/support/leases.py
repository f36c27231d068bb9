"""A context and a translator that conform, and mutants of it that each break one property."""

from __future__ import annotations

import itertools
from typing import Annotated, ClassVar, Literal

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, latest
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    ambiguous,
    changed,
    column,
    fact,
    ignore,
    lifecycle,
    lookup,
    part,
    reject,
    removed,
    table,
)


class Signed(Event):
    """A lease was signed."""

    kind: Literal["flat", "office"]
    city: str | None = None


class Ended(Event):
    """A lease ended."""

    side_effect: ClassVar[str] = "mails the tenant"


class Dunned(Event):
    """The tenant was reminded to pay."""


class RentSet(Event):
    """A rent was agreed."""

    rent: Annotated[int, Field(ge=0)]


class Noted(Event):
    """Somebody wrote a note."""

    identified_by: ClassVar[tuple[str, ...]] = ("note",)

    note: str | None = None
    digits: str | None = Field(default=None)


class Dropped(Event):
    """The lease was taken off the books."""


LEASE = Aggregate(
    name="lease",
    doc="One lease.",
    events=(Signed, Ended, Dunned, RentSet, Noted, Dropped),
    state={"kind": latest("kind", Signed)},
)
LEASES = Context(name="leases", doc="Leases.", aggregates=(LEASE,))


class City(SourceContract):
    """One row is one city."""

    code: T.StringType = column(doc="code", nullable=False)
    name: T.StringType = column(doc="name", nullable=False, stable=True)

    class Config:
        metadata = table("old", "cities", key=["code"])


class Lease(SourceContract):
    """One row is one lease."""

    no: T.LongType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status", nullable=False)
    kind: T.StringType = column(doc="kind", nullable=False, stable=True)
    city: T.StringType = column(doc="city", stable=True)
    signed_at: T.TimestampType = column(doc="signed", nullable=False, stable=True)
    ended_on: T.DateType = column(doc="ended")
    rent: T.IntegerType = column(doc="rent, in cents", nullable=False, ge=0)
    late: T.BooleanType = column(doc="whether a payment is late")
    note: T.StringType = column(doc="note")
    epoch: T.LongType = column(
        doc="seconds", nullable=False, stable=True, ge=1_790_000_000, le=1_790_000_100
    )

    class Config:
        metadata = table(
            "old",
            "leases",
            key=["no"],
            lifecycle=lifecycle(
                "status",
                start=["draft", "live"],
                follows={"draft": ["live", "void"], "live": ["over"]},
            ),
        )


class Payment(SourceContract):
    """One row is what is known of a lease's payments."""

    lease: T.LongType = column(doc="lease", nullable=False)
    state: T.StringType = column(doc="state", nullable=False)

    class Config:
        metadata = table("bank", "payments", key=["lease"])


class Ordinary(Translator):
    """Conforms."""

    context, aggregate, version = LEASES, "lease", "1.0.0"
    source, subject = Lease, "no"
    cities = lookup(City, on="city")

    @ignore("void")
    def void(self, row):
        """It never came to be."""
        return row.status == "void"

    @fact(Signed)
    def signed(self, row):
        return Occurrence(
            when=row.status.isin("live", "over"),
            at=row.signed_at,
            data={"kind": row.kind, "city": row.cities.name},
        )

    @fact(Ended)
    def ended(self, row):
        return Occurrence(when=row.status == "over", at=row.ended_on, replay_safe="no mail is sent twice: the mailer drops what is older than a day")  # fmt: skip

    @fact(Dunned, transient=True, many=True)
    def dunned(self, row):
        return Occurrence(when=row.late, time_basis=COMMIT)

    @changed(RentSet, of="rent", opening=True)
    def rent_set(self, row):
        return Occurrence(time_basis=COMMIT, key=row.rent, data={"rent": row.rent})

    @removed(Dropped)
    def dropped(self, row):
        return Occurrence(when=False, time_basis=COMMIT)


class StrictLease(Lease):
    """One row is one lease, which goes no other way than it should."""

    class Config:
        metadata = table(
            "old",
            "leases",
            key=["no"],
            lifecycle=lifecycle(
                "status",
                start=["draft", "live"],
                follows={"draft": ["live", "void"], "live": ["over"]},
                otherwise="reject",
            ),
        )


class Moving(Ordinary):
    """Conforms, and asks where a lease came from."""

    source = StrictLease

    @ambiguous("note-lost")
    def note_lost(self, row, was):
        """Somebody took a note away: was it wrong?"""
        return was.note.isNotNull() & row.note.isNull()

    @fact(Dunned, many=True)
    def dunned(self, row, was):
        return Occurrence(when=row.late & ~was.late, time_basis=COMMIT)


class Composed(Translator):
    """Conforms; of two sources."""

    context, aggregate, version = LEASES, "lease", "1.0.0"
    lease = part(Lease, subject="no")
    payment = part(Payment, subject="lease", required=False)

    @reject("unpaid-office")
    def unpaid_office(self, row):
        """Nobody knows what that is."""
        return (row.lease.kind == "office") & (row.payment.state == "never")

    @fact(Signed)
    def signed(self, row):
        return Occurrence(
            when=row.lease.status.isin("live", "over"),
            at=row.lease.signed_at,
            data={"kind": row.lease.kind},
        )

    @fact(Dunned, transient=True)
    def dunned(self, row):
        return Occurrence(when=row.payment.state == "late", time_basis=COMMIT)


class _Mutant(Translator):
    context, aggregate, version = LEASES, "lease", "1.0.0"
    source, subject = Lease, "no"


class LastingThatCeases(_Mutant):
    """evidence: the fact can cease to hold, and does not say so."""

    @fact(Dunned)
    def dunned(self, row):
        return Occurrence(when=row.late, time_basis=COMMIT)


class MoveMadeUp(_Mutant):
    """evidence: what no snapshot shows is told of each of its rows."""

    @fact(Dunned, opening=True)
    def dunned(self, row, was):
        return Occurrence(when=was.no.isNull() & row.late, time_basis=COMMIT)


class MovingIdentity(_Mutant):
    """evidence: a payload field that moves is the identity."""

    @fact(Noted)
    def noted(self, row):
        return Occurrence(
            when=row.status == "live",
            time_basis=COMMIT,
            data={"note": F.concat(row.note, row.rent.cast("string"))},
        )


class MovingSubject(_Mutant):
    """evidence: the subject is made of what moves."""

    @fact(Ended)
    def ended(self, row):
        return Occurrence(when=row.status == "over", at=row.ended_on, subject=[row.no, row.rent])


class WithoutReason(_Mutant):
    """replay: mails are sent again, and nobody says why that is right."""

    @fact(Ended)
    def ended(self, row):
        return Occurrence(when=row.status == "over", at=row.ended_on, replay_safe=True)


class WrongUnit(_Mutant):
    """times: seconds taken for milliseconds."""

    @fact(Signed)
    def signed(self, row):
        return Occurrence(
            when=row.status.isin("live", "over"),
            at=F.timestamp_millis(row.epoch),
            data={"kind": row.kind},
        )


class BreaksOnText(_Mutant):
    """ends: a text that is no number ends the whole run."""

    @fact(Dunned, transient=True)
    def dunned(self, row):
        return Occurrence(when=row.note.cast("int") > 3, time_basis=COMMIT)


_calls = itertools.count()


class CountsCalls(_Mutant):
    """order: the identity depends on which row came first."""

    @fact(Noted, per_row=True, transient=True)
    def noted(self, row):
        return Occurrence(time_basis=COMMIT, data={"note": str(next(_calls))})


class Random(_Mutant):
    """rules: not the same of the same row."""

    @fact(Noted, transient=True)
    def noted(self, row):
        return Occurrence(time_basis=COMMIT, data={"note": F.uuid()})


class StableStatus(SourceContract):
    """One row is one lease whose status cannot be stable."""

    no: T.LongType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status", nullable=False, stable=True)

    class Config:
        metadata = table(
            "old",
            "stable",
            key=["no"],
            lifecycle=lifecycle("status", start=["a"], follows={"a": ["b"]}),
        )


class StableThatMoves(Translator):
    """stable: a status with a lifecycle moves."""

    context, aggregate, version = LEASES, "lease", "1.0.0"
    source, subject = StableStatus, "no"

    @fact(Ended)
    def ended(self, row):
        return Occurrence(when=row.status == "b", time_basis=COMMIT)


MUTANTS = {
    LastingThatCeases: "snapshot-and-changes",
    MoveMadeUp: "snapshot-and-changes",
    MovingIdentity: "snapshot-and-changes",
    MovingSubject: "snapshot-and-changes",
    WithoutReason: "replay-safe",
    WrongUnit: "times",
    BreaksOnText: "ends",
    CountsCalls: "order",
    Random: "rules",
    StableThatMoves: "stable",
}
"""Each with the property that it breaks."""
