"""A subject that a fact makes of a personal column is masked, whichever aggregate it is one of."""

from __future__ import annotations

from typing import Annotated, Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, Twin, personal
from cutline.masking import MASK, Masking, masking
from cutline.translator import (
    COMMIT,
    Each,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    each,
    fact,
    lookup,
    table,
)


class Booked(Event):
    """A seat was booked."""


class Invited(Event):
    """Somebody was asked to come."""


class LiveInvited(Event):
    """The same, as the new side says it."""

    guest: Annotated[str, personal]
    plan: str


class Booking(SourceContract):
    """One booking."""

    no: T.StringType = column(doc="its number", nullable=False)
    seat: T.StringType = column(doc="the seat")
    mail: T.StringType = column(doc="whose it is", personal=True)

    class Config:
        """Where the rows come from."""

        metadata = table("hall", "bookings", key=["no"])


class Guest(SourceContract):
    """A guest of a booking."""

    phone: T.StringType = column(doc="their number", nullable=False, personal=True)
    no: T.StringType = column(doc="the booking")

    class Config:
        """Where the rows come from."""

        metadata = table("hall", "guests", key=["phone"])


def hall(*twins: Twin) -> Context:
    booking = Aggregate(name="booking", doc="A booking.", events=(Booked,), state={})
    guest = Aggregate(name="guest", doc="A guest.", events=(Invited,), state={})
    return Context(name="hall", doc="Seats.", aggregates=(booking, guest), twins=twins)


HALL = hall()


class Bookings(Translator):
    """Bookings, by their number."""

    context, aggregate, version = HALL, "booking", "1.0.0"
    source, subject = Booking, "no"

    @fact(Booked)
    def booked(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT)


def small(text: Any) -> Any:
    return F.lower(text)


def mail_of(row: Any) -> Any:
    return F.trim(row.mail)


def invitation(subject: Any) -> Occurrence:
    return Occurrence(time_basis=COMMIT, subject=subject)


class ByColumn(Bookings):
    """Invites whoever has booked."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT, subject=small(row.mail))


class ByPlace(Bookings):
    """The same without the parameter's name."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return Occurrence(True, {}, None, [row.seat, row.mail], time_basis=COMMIT)


class ByLocalName(Bookings):
    """The same by way of a name."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        mail = row.mail
        guest = small(mail)
        return Occurrence(time_basis=COMMIT, subject=guest)


class ByFunction(Bookings):
    """The same by a function that reads the row."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT, subject=mail_of(row))


class ByMethod(Bookings):
    """The same by a method that makes the occurrence."""

    def invitation_of(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT, subject=row.mail)

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return self.invitation_of(row)


class ByArgument(Bookings):
    """The same by a function that is called with the subject."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return invitation(row.mail)


class PerRow(Bookings):
    """The same in Python values."""

    @fact(Invited, per_row=True)
    def invited(self, row: Any) -> Occurrence | None:
        return Occurrence(time_basis=COMMIT, subject=row.mail.lower()) if row.mail else None


class ByElement(Bookings):
    """Invites the guests of a booking."""

    guests = lookup(Guest, on="no", by="no", many=True)

    @fact(Invited)
    def invited(self, row: Any) -> Each:
        return each(row.guests, lambda guest: Occurrence(time_basis=COMMIT, subject=guest.phone))


class BySeat(Bookings):
    """Makes a subject of what is not personal."""

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return Occurrence(when=row.mail.isNotNull(), time_basis=COMMIT, subject=row.seat)


class Guests(Translator):
    """Bookings of guests, by what is personal, and another aggregate's event of the same."""

    context, aggregate, version = HALL, "booking", "1.0.0"
    source, subject = Guest, "phone"

    @fact(Invited)
    def invited(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT)


def masking_by(translator: type[Translator], context: Context = HALL) -> Masking:
    return masking([Translation("hall", "1.0.0", context, (translator,))])


@pytest.mark.parametrize(
    "translator",
    [ByColumn, ByPlace, ByLocalName, ByFunction, ByMethod, ByArgument, PerRow, ByElement],
    ids=lambda translator: translator.__name__,
)
def test_a_subject_of_a_personal_column_is_masked(translator: type[Translator]) -> None:
    mask = masking_by(translator)
    assert mask.subject("guest", "lee@example.org") == MASK
    assert mask.subject("booking", "b-1") == "b-1"


@pytest.mark.parametrize("translator", [Bookings, BySeat])
def test_a_subject_of_no_personal_column_is_shown(translator: type[Translator]) -> None:
    mask = masking_by(translator)
    assert mask.subject("guest", "12-A") == "12-A"


def test_the_translators_subject_is_personal_as_one_of_another_aggregate_too() -> None:
    mask = masking_by(Guests)
    assert mask.subject("guest", "555-1") == MASK
    assert mask.subject("booking", "555-1") == MASK


@pytest.mark.parametrize(("subject", "shown"), [("guest", MASK), ("plan", "p-1")])
def test_so_is_what_a_twin_reads_of_a_personal_field(subject: str, shown: str) -> None:
    context = hall(Twin(LiveInvited, Invited, subject=subject))

    class SeatsWithMail(Bookings):
        """Bookings, in a context with a twin."""

    SeatsWithMail.context = context

    assert masking_by(SeatsWithMail, context).subject("guest", "p-1") == shown
