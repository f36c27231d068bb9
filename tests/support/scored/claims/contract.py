"""The legacy table of claims."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table

CHECKED, REGISTERED, DETERMINED, ASSESSED, PAID, ADVISED, CLOSED = "V", "R", "L", "A", "P", "I", "Z"


class Claim(SourceContract):
    """One row is one claim as it stands now; each step overwrites it."""

    claim_no: T.LongType = column(doc="number of the claim", nullable=False)
    status: T.StringType = column(doc="the last step", nullable=False, classifies=True)
    status_at: T.TimestampType = column(doc="end of the last step", nullable=False)
    handler: T.StringType = column(doc="who did the last step", personal=True)
    registered_at: T.TimestampType = column(doc="entered", stable=True)
    assessed_at: T.TimestampType = column(doc="damage assessed", stable=True)
    paid_at: T.TimestampType = column(doc="payment sent off", stable=True)
    closed_at: T.TimestampType = column(doc="closed", stable=True)
    advised: T.BooleanType = column(doc="the claimant was told", nullable=False)

    class Config:
        """Where the rows come from; paying and advising go side by side."""

        metadata = table(
            "core",
            "claims",
            key=["claim_no"],
            lifecycle=lifecycle(
                "status",
                start=[CHECKED],
                follows={
                    CHECKED: [REGISTERED],
                    REGISTERED: [DETERMINED],
                    DETERMINED: [ASSESSED],
                    ASSESSED: [PAID, ADVISED],
                    PAID: [ADVISED, CLOSED],
                    ADVISED: [PAID, CLOSED],
                    CLOSED: [],
                },
            ),
        )
