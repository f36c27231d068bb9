"""Coverages: which risks are covered, and which no longer."""

from __future__ import annotations

from typing import Any

from cutline.translator import Occurrence, fact, understood
from cutline_domains.insurance_policy import INSURANCE_POLICY, CoverageAdded, CoverageEnded
from cutline_translators.policy_admin.contracts import Coverage
from cutline_translators.policy_admin.letters import COVERED, ENDED
from cutline_translators.policy_admin.policy_row_translator import PolicyRowTranslator


class PasCoverages(PolicyRowTranslator):
    """The facts of a coverage; an ended one was added before."""

    context, aggregate, version = INSURANCE_POLICY, "policy", "1.0.0"
    source, subject = Coverage, "policy_no"

    @understood("covered")
    def covered(self, row: Any) -> Any:
        """The risk is covered: that it was added is all there is to say."""
        return row.status == COVERED

    @fact(CoverageAdded)
    def added(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.covered_from,
            data={
                "coverage_no": row.coverage_no,
                "risk": row.risk,
                "sum_insured_cents": row.sum_insured_cents,
                "covered_from": row.covered_from,
            },
        )

    @fact(CoverageEnded)
    def ended(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == ENDED,
            at=row.ended_on,
            data={
                "coverage_no": row.coverage_no,
                "sum_insured_cents": row.sum_insured_cents,
            },
        )
