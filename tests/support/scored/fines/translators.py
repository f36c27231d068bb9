"""What the register's rows and the till's rows mean."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.translator import Occurrence, Translator, fact, reject, understood
from support.scored.fines import context as c
from support.scored.fines import contracts as k

MONEY = "decimal(8,2)"


class TownFines(Translator):
    """Steps with a date of their own last; of the others only the one that came last shows."""

    context, aggregate, version = c.FINES, "fine", "1.0.0"
    source, subject = k.Fine, "fine_no"

    @understood("told-by-its-dates")
    def told_by_its_dates(self, row: Any) -> Any:
        """The step has a date of its own, or is a payment, which the till tells."""
        return row.status.isin(
            k.ENTERED, k.SENT, k.NOTIFIED, k.RAISED, k.REGISTERED, k.DECIDED, k.PAID
        )

    @fact(c.FineCreated)
    def created(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.entered_on,
            data={
                "article": row.article,
                "points": row.points,
                "vehicle_class": row.vehicle_class,
                "officer": row.officer,
                "amount": F.when(row.raised_on.isNull(), row.amount),
                "dismissal": F.when(row.status.isin(k.ENTERED, k.SENT), row.dismissal),
            },
        )

    @fact(c.FineSent)
    def sent(self, row: Any) -> Occurrence:
        return _on(row.sent_on, expense=row.expense)

    @fact(c.OffenderNotified)
    def notified(self, row: Any) -> Occurrence:
        return _on(
            row.notified_on, notification_type=row.notification_type, last_sent=row.last_sent
        )

    @fact(c.PenaltyAdded)
    def raised(self, row: Any) -> Occurrence:
        return _on(row.raised_on, amount=row.amount)

    @fact(c.AppealRegistered)
    def appealed(self, row: Any) -> Occurrence:
        return _on(row.appealed_on)

    @fact(c.AppealDecided)
    def decided(self, row: Any) -> Occurrence:
        return _on(row.decided_on)

    @fact(c.AppealForwarded, transient=True)
    def forwarded(self, row: Any) -> Occurrence:
        return _while(row, k.FORWARDED, dismissal=row.dismissal)

    @fact(c.OffenderToldOfDecision, transient=True)
    def told_of_decision(self, row: Any) -> Occurrence:
        return _while(row, k.RESULT_NOTIFIED)

    @fact(c.JudgeAppealed, transient=True)
    def in_court(self, row: Any) -> Occurrence:
        return _while(row, k.COURT, dismissal=row.dismissal)

    @fact(c.CollectionStarted, transient=True)
    def in_collection(self, row: Any) -> Occurrence:
        return _while(row, k.COLLECTION)


class TownPayments(Translator):
    """Each row of the till is a payment of a fine; the day's total shows where the point was."""

    context, aggregate, version = c.FINES, "fine", "1.0.0"
    source, subject = k.Payment, "fine_no"

    @reject("amount-above-the-total")
    def amount_above_the_total(self, row: Any) -> Any:
        """Wherever the point is put, more was paid than was paid in all."""
        return _amount(row) > row.paid_in_all

    @fact(c.PaymentReceived)
    def received(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.paid_on,
            data={
                "payment_no": row.payment_no,
                "amount": _amount(row),
                "paid_in_all": row.paid_in_all,
            },
        )


def _on(day: Column, **data: Column) -> Occurrence:
    return Occurrence(when=day.isNotNull(), at=day, data=data)


def _while(row: Any, status: str, **data: Column) -> Occurrence:
    return Occurrence(when=row.status == status, at=row.status_on, data=data)


def _amount(row: Any) -> Column:
    """One decimal, as the till writes whole and half euros; two where that exceeds the total."""
    digits = row.digits.cast("decimal(12,0)")
    one_decimal, two_decimals = ((digits / F.lit(by)).cast(MONEY) for by in (10, 100))
    return F.when(one_decimal <= row.paid_in_all, one_decimal).otherwise(two_decimals)
