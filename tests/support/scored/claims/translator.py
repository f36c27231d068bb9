"""What the rows of the claims table mean."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact, understood
from support.scored.claims import context as c
from support.scored.claims import contract as k


class CoreClaims(Translator):
    """Steps with a time or a mark of their own last; of the others only the last one shows."""

    context, aggregate, version = c.CLAIMS, "claim", "1.0.0"
    source, subject = k.Claim, "claim_no"

    @understood("told-by-times-and-marks")
    def told_by_times_and_marks(self, row: Any) -> Any:
        """The step has a time or a mark of its own."""
        return row.status.isin(k.REGISTERED, k.ASSESSED, k.PAID, k.ADVISED, k.CLOSED)

    @fact(c.CoverChecked, transient=True)
    def checked(self, row: Any) -> Occurrence:
        return _while(row, k.CHECKED)

    @fact(c.ClaimRegistered)
    def registered(self, row: Any) -> Occurrence:
        return _at(row, row.registered_at, k.REGISTERED)

    @fact(c.LikelihoodDetermined, transient=True)
    def determined(self, row: Any) -> Occurrence:
        return _while(row, k.DETERMINED)

    @fact(c.ClaimAssessed)
    def assessed(self, row: Any) -> Occurrence:
        return _at(row, row.assessed_at, k.ASSESSED)

    @fact(c.PaymentInitiated)
    def paid(self, row: Any) -> Occurrence:
        return _at(row, row.paid_at, k.PAID)

    @fact(c.ClaimantAdvised)
    def advised(self, row: Any) -> Occurrence:
        # The mark has no time: it is known only while it was the last thing that happened.
        last = row.status == k.ADVISED
        return Occurrence(
            when=row.advised, at=F.when(last, row.status_at), data=_by(row, k.ADVISED)
        )

    @fact(c.ClaimClosed)
    def closed(self, row: Any) -> Occurrence:
        return _at(row, row.closed_at, k.CLOSED)


def _at(row: Any, time: Column, status: str) -> Occurrence:
    return Occurrence(when=time.isNotNull(), at=time, data=_by(row, status))


def _while(row: Any, status: str) -> Occurrence:
    return Occurrence(when=row.status == status, at=row.status_at, data=_by(row, status))


def _by(row: Any, status: str) -> dict[str, Column]:
    """The row's handler is the step's own only until the next step."""
    return {"handled_by": F.when(row.status == status, row.handler)}
