"""Policies: the header of each contract with a customer."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table
from cutline_translators.policy_admin.letters import (
    ACTIVE,
    CANCELLED,
    EXPIRED,
    LAPSED,
    QUOTED,
    RESTING,
)


class Policy(SourceContract):
    """One policy as it stands today; of each kind of date only the last one is kept."""

    policy_no: T.StringType = column(doc="the policy, such as P-0000001", nullable=False)
    region: T.StringType = column(doc="the sales region", nullable=False, stable=True)
    customer_no: T.StringType = column(
        doc="whose policy it is", nullable=False, stable=True, personal=True
    )
    holder: T.StringType = column(doc="the policyholder's name", personal=True)
    product: T.StringType = column(doc="HOME, MOTOR or LIABILITY", stable=True)
    status: T.StringType = column(
        doc="Q quoted, A active, B resting, L lapsed, C cancelled, X expired; a few others are "
        "of before 2009",
        nullable=False,
        classifies=True,
    )
    inception_on: T.DateType = column(doc="the day cover began", stable=True)
    term_from: T.DateType = column(doc="first day of the current term")
    term_to: T.DateType = column(doc="the day after the last of the current term")
    status_on: T.DateType = column(doc="since when the status holds, as agreed")
    lapsed_on: T.DateType = column(doc="when cover last lapsed; it stays after a reinstatement")
    reinstated_on: T.DateType = column(doc="from when cover was last in force again")
    cancelled_on: T.DateType = column(doc="from when it is cancelled", stable=True)
    noticed_on: T.DateType = column(doc="when the last renewal notice was sent")
    noticed_for: T.DateType = column(doc="the end of the term that the notice spoke of")
    entered_at: T.TimestampType = column(doc="when the row was keyed in")
    updated_at: T.TimestampType = column(doc="when anything of the row last changed")

    class Config:
        """Where the rows come from."""

        metadata = table(
            "pas",
            "policies",
            key=["policy_no"],
            lifecycle=lifecycle(
                "status",
                start=[QUOTED, ACTIVE],
                follows={
                    QUOTED: [ACTIVE],
                    ACTIVE: [RESTING, LAPSED, CANCELLED, EXPIRED],
                    RESTING: [ACTIVE, LAPSED, CANCELLED],
                    LAPSED: [ACTIVE, CANCELLED],
                    EXPIRED: [ACTIVE],
                },
            ),
        )
