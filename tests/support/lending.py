"""Books on loan: a context, a legacy table, and what its rows mean."""

import datetime as dt
from typing import Annotated, Any, ClassVar

import pyspark.sql.types as T
from pydantic import Field

from cutline.context import (
    Aggregate,
    Context,
    Event,
    last_of_types,
    latest,
    personal,
    requires,
    unit,
)
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    Truth,
    ambiguous,
    changed,
    column,
    fact,
    ignore,
    lifecycle,
    reject,
    removed,
    row_check,
    table,
    understood,
)


class LoanOpened(Event):
    """A member took a book home."""

    member_no: Annotated[str, personal]
    book_no: str


class LoanExtended(Event):
    """The member may keep the book for longer."""

    identified_by: ClassVar[tuple[str, ...]] = ("due_on",)

    due_on: dt.date


class FineSet(Event):
    """What is to be paid for a late return; null when nothing is any more."""

    side_effect: ClassVar[str] = "mails the member a bill"

    fine_cents: Annotated[int, unit("cents"), Field(ge=0)] | None = None


class BookLost(Event):
    """The member says that the book is lost."""


class BookReturned(Event):
    """The book is back."""


class LoanWithdrawn(Event):
    """The loan was entered by mistake."""


LOAN = Aggregate(
    name="loan",
    doc="One book on loan; its subject is the number of the loan.",
    events=(LoanOpened, LoanExtended, FineSet, BookLost, BookReturned, LoanWithdrawn),
    state={
        "status": last_of_types({LoanOpened: "out", BookLost: "lost", BookReturned: "back"}),
        "due_on": latest("due_on", LoanExtended),
    },
    order=(requires(BookReturned, first=LoanOpened),),
)
LENDING = Context(name="lending", doc="Who has which book.", aggregates=(LOAN,))


class OldLoan(SourceContract):
    """One loan as it stands today."""

    loan_no: T.StringType = column(doc="the loan", nullable=False)
    member_no: T.StringType = column(doc="who took it", stable=True, personal=True)
    book_no: T.StringType = column(doc="which book", stable=True)
    status: T.StringType = column(
        doc="O out, L lost, B back, T test, M made by the import of 1999", classifies=True
    )
    taken_at: T.TimestampType = column(doc="when it was taken", stable=True)
    due_on: T.DateType = column(doc="until when; every extension overwrites it")
    extended_at: T.TimestampType = column(doc="when it was last extended")
    back_at: T.TimestampType = column(doc="when it was brought back")
    fine_cents: T.LongType = column(doc="the fine, in cents; null for none", ge=0)

    @row_check
    def back_before_taken(cls, row: Any) -> Any:
        """It was brought back before it was taken."""
        return row.back_at >= row.taken_at

    class Config:
        """Where the rows come from."""

        metadata = table(
            "library",
            "loans",
            key=["loan_no"],
            lifecycle=lifecycle("status", start=["O"], follows={"O": ["L", "B"], "L": ["B"]}),
        )


class LibraryLoans(Translator):
    """What a loan's letter and times say of it."""

    context, aggregate, version = LENDING, "loan", "1.0.0"
    source, subject = OldLoan, "loan_no"

    @reject("unreadable-status")
    def unreadable(self, row: Any) -> Any:
        """The import of 1999 left this letter, and nobody can say what it means."""
        return row.status == "M"

    @ambiguous("lost-and-back")
    def lost_and_back(self, row: Any) -> Any:
        """Lost by its letter, brought back by its time: one of the two is wrong."""
        return (row.status == "L") & row.back_at.isNotNull()

    @ignore("test-loan")
    def test_loan(self, row: Any) -> Any:
        """A test: nobody took a book."""
        return row.status == "T"

    @understood("out")
    def out(self, row: Any) -> Any:
        """Still out: that it was taken is all there is to tell."""
        return row.status == "O"

    @fact(LoanOpened)
    def opened(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.taken_at, data={"member_no": row.member_no, "book_no": row.book_no}
        )

    # The row keeps the last extension only, so a snapshot lacks those before.
    @fact(LoanExtended, transient=True)
    def extended(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.extended_at.isNotNull(), at=row.extended_at, data={"due_on": row.due_on}
        )

    @changed(FineSet, of="fine_cents")
    def fine_set(self, row: Any) -> Occurrence:
        return Occurrence(time_basis=COMMIT, data={"fine_cents": row.fine_cents})

    # A book that was lost may be found, and then nothing shows that it was lost.
    @fact(BookLost, transient=True)
    def lost(self, row: Any) -> Occurrence:
        return Occurrence(when=row.status == "L", time_basis=COMMIT)

    @fact(BookReturned)
    def returned(self, row: Any) -> Occurrence:
        return Occurrence(when=row.status == "B", at=row.back_at)

    @removed(LoanWithdrawn)
    def withdrawn(self, row: Any) -> Occurrence:
        return Occurrence(when=False, time_basis=COMMIT)


LIBRARY_1 = Translation(
    name="library",
    version="1.0.0",
    context=LENDING,
    translators=(LibraryLoans,),
    truth=Truth(
        aggregates={
            "loan": "SELECT loan_no AS subject, due_on FROM library.loans WHERE status <> 'M'"
        }
    ),
)
