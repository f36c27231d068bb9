"""Claims: what customers ask for after an incident."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table
from cutline_translators.policy_admin.letters import (
    APPROVED,
    DECLINED,
    INVESTIGATED,
    PAID,
    REGISTERED,
    VOIDED,
)


class Claim(SourceContract):
    """One claim; rows are never deleted, those entered by mistake are made void."""

    claim_no: T.StringType = column(doc="the claim, such as C-0000001", nullable=False)
    policy_no: T.StringType = column(doc="the policy", nullable=False, stable=True)
    region: T.StringType = column(doc="the sales region", nullable=False, stable=True)
    claimant: T.StringType = column(doc="who asks for it", personal=True)
    status: T.StringType = column(
        doc="R registered, U under investigation, A approved, D declined, P paid, V void",
        nullable=False,
        classifies=True,
    )
    incident_on: T.DateType = column(doc="when it happened", nullable=False, stable=True)
    notified_on: T.DateType = column(
        doc="when the customer told the insurer", nullable=False, stable=True
    )
    entered_at: T.TimestampType = column(doc="when it was keyed in", stable=True)
    reserve_no: T.LongType = column(doc="how often the reserve was set", nullable=False, ge=1)
    reserve_cents: T.LongType = column(
        doc="what it is expected to cost, in cents", nullable=False, ge=0
    )
    reserve_on: T.DateType = column(doc="since when that is expected", nullable=False)
    approved_on: T.DateType = column(doc="when it was approved")
    approved_cents: T.LongType = column(doc="what was approved, in cents", ge=0)
    declined_on: T.DateType = column(doc="when it was declined; null again once it is reopened")
    reopened_on: T.DateType = column(doc="when it was last looked at again")
    paid_on: T.DateType = column(doc="when it was paid")
    paid_cents: T.LongType = column(doc="what was paid, in cents", ge=0)
    voided_on: T.DateType = column(doc="when it was made void", stable=True)

    class Config:
        """Where the rows come from."""

        metadata = table(
            "pas",
            "claims",
            key=["claim_no"],
            lifecycle=lifecycle(
                "status",
                start=[REGISTERED],
                follows={
                    REGISTERED: [INVESTIGATED, APPROVED, DECLINED, PAID, VOIDED],
                    INVESTIGATED: [APPROVED, DECLINED, VOIDED],
                    APPROVED: [PAID],
                    DECLINED: [INVESTIGATED, PAID],
                },
            ),
        )
