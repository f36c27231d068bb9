"""Two systems speak of one loan, beside reference data; its rows once had another shape."""

from typing import Annotated, Any, ClassVar

import pyspark.sql.types as T
from pydantic import Field
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, count, latest
from cutline.translator import (
    HOLD,
    Each,
    Occurrence,
    SourceContract,
    Translator,
    column,
    each,
    fact,
    lookup,
    older,
    part,
    table,
)


class CopyTaken(Event):
    """A member took a copy home."""

    copy_no: str
    branch: str | None = None


class ExtraTaken(Event):
    """Something went out with the copy, such as a map."""

    identified_by: ClassVar[tuple[str, ...]] = ("extra_no",)

    extra_no: int
    pieces: Annotated[int, Field(ge=1)]


LOAN = Aggregate(
    name="loan",
    doc="One loan.",
    events=(CopyTaken, ExtraTaken),
    state={"branch": latest("branch", CopyTaken), "extras": count(ExtraTaken)},
)
DESK = Context(name="desk", doc="The lending desk.", aggregates=(LOAN,))


class LoanOf1999(SourceContract):
    """A loan as it was written down before 2005."""

    loan_no: T.IntegerType = column(doc="the loan", nullable=False)
    taken: T.TimestampType = column(doc="when it was taken")

    class Config:
        """Where the rows come from."""

        metadata = table("library", "loans", key=["loan_no"])


def since_2005(row: Any) -> dict[str, Any]:
    """Numbers have had a prefix since; what was taken before was taken in the main house."""
    return {
        "loan_no": F.concat(F.lit("L-"), row.loan_no.cast("string")),
        "taken_at": row.taken,
        "branch_no": F.lit("MAIN"),
    }


class Loan(SourceContract):
    """A loan."""

    loan_no: T.StringType = column(doc="the loan", nullable=False)
    taken_at: T.TimestampType = column(doc="when it was taken", stable=True)
    branch_no: T.StringType = column(doc="where", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "library", "loans", key=["loan_no"], older=[older(LoanOf1999, lift=since_2005)]
        )


class Scan(SourceContract):
    """The desk's scan of the copy that went out."""

    scan_no: T.LongType = column(doc="the scan", nullable=False)
    loan_no: T.StringType = column(doc="for which loan")
    copy_no: T.StringType = column(doc="the copy", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("desk", "scans", key=["scan_no"])


class Branch(SourceContract):
    """A branch under a name that it had for a time."""

    name_no: T.LongType = column(doc="the entry", nullable=False)
    branch_no: T.StringType = column(doc="the branch")
    name: T.StringType = column(doc="its name then", stable=True)
    since: T.TimestampType = column(doc="the first moment of that name")
    until: T.TimestampType = column(doc="the moment after the last; null for none yet")

    class Config:
        """Where the rows come from."""

        metadata = table("desk", "branches", key=["name_no"])


class Extra(SourceContract):
    """Something that went out with a loan."""

    extra_no: T.LongType = column(doc="the thing", nullable=False)
    loan_no: T.StringType = column(doc="with which loan", stable=True)
    pieces: T.IntegerType = column(doc="how many of it", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table("desk", "extras", key=["extra_no"])


class DeskLoans(Translator):
    """A loan is told when both the library and its desk have spoken of it."""

    context, aggregate, version = DESK, "loan", "1.0.0"

    loan = part(Loan, subject="loan_no")
    scan = part(Scan, subject="loan_no", missing=HOLD)
    branch = lookup(
        Branch, on="branch_no", by="branch_no", as_of="taken_at", valid=("since", "until")
    )
    extras = lookup(Extra, on="loan_no", by="loan_no", many=True)

    @fact(CopyTaken)
    def copy_taken(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.loan.taken_at,
            data={"copy_no": row.scan.copy_no, "branch": row.branch.name},
        )

    @fact(ExtraTaken)
    def extra_taken(self, row: Any) -> Each:
        return each(
            row.extras,
            lambda extra: Occurrence(
                at=row.loan.taken_at,
                data={"extra_no": extra.extra_no, "pieces": extra.pieces},
            ),
        )
