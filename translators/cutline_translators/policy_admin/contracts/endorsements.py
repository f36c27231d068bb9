"""Endorsements: amendments of policies."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table
from cutline_translators.policy_admin.letters import DRAFT, ISSUED, VOID


class Endorsement(SourceContract):
    """One amendment of a policy; a few are deleted, most of the wrong ones are only made void."""

    endorsement_no: T.StringType = column(doc="the amendment, such as E-0000001", nullable=False)
    policy_no: T.StringType = column(doc="the policy", nullable=False, stable=True)
    region: T.StringType = column(doc="the sales region", nullable=False, stable=True)
    kind: T.StringType = column(doc="what it amends", nullable=False, stable=True)
    status: T.StringType = column(
        doc="D draft, I issued, V void: once issued, and withdrawn", nullable=False, classifies=True
    )
    effective_on: T.DateType = column(doc="from when it holds", nullable=False, stable=True)
    premium_delta_cents: T.LongType = column(
        doc="premium a year more, or less if negative, in cents", nullable=False, stable=True
    )
    voided_on: T.DateType = column(doc="when it was made void", stable=True)
    entered_at: T.TimestampType = column(
        doc="when it was keyed in, often long after it took effect", stable=True
    )

    class Config:
        """Where the rows come from."""

        metadata = table(
            "pas",
            "endorsements",
            key=["endorsement_no"],
            lifecycle=lifecycle(
                "status", start=[DRAFT, ISSUED], follows={DRAFT: [ISSUED], ISSUED: [VOID]}
            ),
        )
