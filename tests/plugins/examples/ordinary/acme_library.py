"""An ordinary plugin: a context of its own, one table, one translator."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, last_of_types
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translation,
    Translator,
    column,
    fact,
    lifecycle,
    table,
)


class LoanGranted(Event):
    """A loan was granted."""

    book: str


class LoanReturned(Event):
    """The book came back."""


class LoanOverdue(Event):
    """The book was not brought back in time."""


LOAN = Aggregate(
    name="loan",
    doc="One book lent to one reader.",
    events=(LoanGranted, LoanOverdue, LoanReturned),
    state={"status": last_of_types({LoanGranted: "out", LoanReturned: "back"})},
)
LENDING = Context(name="acme-lending", doc="Books that are lent.", aggregates=(LOAN,))


class Loan(SourceContract):
    """One row is one loan."""

    loan_no: T.StringType = column(doc="the loan's number", nullable=False)
    book: T.StringType = column(doc="which book", nullable=False, stable=True)
    status: T.StringType = column(doc="O out, L late, B back", nullable=False)
    granted_at: T.TimestampType = column(doc="when it was lent", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "library",
            "loans",
            key=["loan_no"],
            lifecycle=lifecycle("status", start=["O"], follows={"O": ["L", "B"], "L": ["B", "O"]}),
        )


class LibraryLoans(Translator):
    """What the library's old system says of a loan."""

    context, aggregate, version = LENDING, "loan", "1.2.0"
    source, subject = Loan, "loan_no"

    @fact(LoanGranted)
    def granted(self, row):
        return Occurrence(at=row.granted_at, data={"book": row.book})

    @fact(LoanOverdue, transient=True)
    def overdue(self, row):
        return Occurrence(when=row.status == "L", time_basis=COMMIT)

    @fact(LoanReturned)
    def returned(self, row):
        return Occurrence(when=row.status == "B", time_basis=COMMIT)


LIBRARY_1 = Translation("library", "1.2.0", LENDING, (LibraryLoans,))
