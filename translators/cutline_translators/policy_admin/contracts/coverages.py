"""Coverages: which risks a policy covers."""

from __future__ import annotations

import pyspark.sql.types as T

from cutline.translator import SourceContract, column, lifecycle, table
from cutline_translators.policy_admin.letters import COVERED, ENDED


class Coverage(SourceContract):
    """One risk that a policy covers, or covered; another sum insured is another row."""

    policy_no: T.StringType = column(doc="the policy", nullable=False)
    coverage_no: T.LongType = column(doc="the row within the policy, from 1", nullable=False, ge=1)
    region: T.StringType = column(doc="the sales region", nullable=False, stable=True)
    risk: T.StringType = column(doc="what is covered", nullable=False, stable=True)
    status: T.StringType = column(doc="A covered, E ended", nullable=False, classifies=True)
    sum_insured_cents: T.LongType = column(
        doc="up to how much, in cents", nullable=False, stable=True, ge=0
    )
    covered_from: T.DateType = column(
        doc="the first day it is covered", nullable=False, stable=True
    )
    ended_on: T.DateType = column(doc="the first day it is not", stable=True)
    entered_at: T.TimestampType = column(doc="when the row was keyed in")

    class Config:
        """Where the rows come from."""

        metadata = table(
            "pas",
            "coverages",
            key=["policy_no", "coverage_no"],
            lifecycle=lifecycle("status", start=[COVERED], follows={COVERED: [ENDED]}),
        )
