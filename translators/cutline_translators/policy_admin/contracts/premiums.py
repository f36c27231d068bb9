"""Premiums: what a policy costs, period by period."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, table


class Premium(SourceContract):
    """What a policy costs from a day on; a correction overwrites the period it corrects."""

    policy_no: T.StringType = column(doc="the policy", nullable=False)
    period_from: T.DateType = column(doc="the first day of the period", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False, stable=True)
    tariff_code: T.StringType = column(doc="the tariff", nullable=False, stable=True)
    premium_cents: T.LongType = column(
        doc="premium a year, before tax, in cents", nullable=False, ge=0
    )
    revision: T.LongType = column(
        doc="1, and one more with each correction of the period", nullable=False, ge=1
    )
    entered_at: T.TimestampType = column(doc="when it was last keyed in")

    class Config:
        """Where the rows come from."""

        metadata = table("pas", "premiums", key=["policy_no", "period_from"])
