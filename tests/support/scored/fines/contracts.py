"""The two legacy tables: the register of fines, and the till's payments."""

from __future__ import annotations

from typing import Annotated

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, row_check, table

ENTERED, SENT, NOTIFIED, RAISED, PAID, REGISTERED = "E", "S", "N", "A", "P", "R"
FORWARDED, DECIDED, RESULT_NOTIFIED, COURT, COLLECTION = "F", "O", "T", "J", "X"


class Fine(SourceContract):
    """One row is one fine as it stands now; each step overwrites it."""

    fine_no: T.StringType = column(doc="number of the fine", nullable=False)
    status: T.StringType = column(doc="the last step", nullable=False, classifies=True)
    status_on: T.DateType = column(doc="day of the last step", nullable=False)
    officer: T.StringType = column(doc="who made it out", stable=True, personal=True)
    vehicle_class: T.StringType = column(doc="A car, M motorcycle, C lorry", stable=True)
    article: T.IntegerType = column(doc="article of the highway code", stable=True)
    points: T.IntegerType = column(doc="points off the licence", stable=True, ge=0)
    amount: Annotated[T.DecimalType, 8, 2] = column(doc="euro, as raised", ge=0)
    dismissal: T.StringType = column(doc="the last word on letting it off; NIL for none")
    expense: Annotated[T.DecimalType, 8, 2] = column(doc="euro for posting", stable=True, ge=0)
    notification_type: T.StringType = column(doc="P by post", stable=True)
    last_sent: T.StringType = column(doc="how it was sent last", stable=True)
    entered_on: T.DateType = column(doc="made out", nullable=False, stable=True)
    sent_on: T.DateType = column(doc="posted", stable=True)
    notified_on: T.DateType = column(doc="delivered", stable=True)
    raised_on: T.DateType = column(doc="penalty added", stable=True)
    appealed_on: T.DateType = column(doc="appeal to the prefecture entered", stable=True)
    decided_on: T.DateType = column(doc="the prefecture's decision came in", stable=True)

    @row_check
    def sent_before_entered(cls, row):
        "It was posted before it was made out."
        return row.sent_on >= row.entered_on

    class Config:
        """Where the rows come from; what the law foresees to follow what."""

        metadata = table(
            "town",
            "fines",
            key=["fine_no"],
            lifecycle=lifecycle(
                "status",
                start=[ENTERED],
                follows={
                    ENTERED: [SENT, PAID],
                    SENT: [NOTIFIED, PAID],
                    NOTIFIED: [RAISED, PAID, REGISTERED, COURT],
                    RAISED: [PAID, REGISTERED, FORWARDED, COURT, COLLECTION],
                    REGISTERED: [RAISED, FORWARDED],
                    FORWARDED: [RAISED, DECIDED],
                    DECIDED: [RESULT_NOTIFIED],
                    RESULT_NOTIFIED: [PAID, COURT, COLLECTION],
                    COURT: [RAISED, PAID, COLLECTION],
                    PAID: [COLLECTION],
                    COLLECTION: [],
                },
            ),
        )


class Payment(SourceContract):
    """One row is one payment, as the till's interface delivers it."""

    payment_no: T.StringType = column(doc="number of the payment", nullable=False)
    fine_no: T.StringType = column(doc="the fine", nullable=False, stable=True)
    paid_on: T.DateType = column(doc="day of the payment", nullable=False, stable=True)
    digits: T.LongType = column(
        doc="the amount's digits, its decimal point lost: 360 for 36.00, 4925 for 49.25",
        nullable=False,
        stable=True,
        gt=0,
    )
    paid_in_all: Annotated[T.DecimalType, 8, 2] = column(
        doc="euro paid for the fine by the end of the day", nullable=False, stable=True, gt=0
    )

    class Config:
        """Where the rows come from."""

        metadata = table("town", "payments", key=["payment_no"])
