"""Endorsements: amendments that were issued, and those that were withdrawn."""

from __future__ import annotations

from typing import Any

from cutline.translator import Occurrence, fact, ignore, removed
from cutline_domains.insurance_policy import (
    INSURANCE_POLICY,
    EndorsementIssued,
    EndorsementWithdrawn,
)
from cutline_translators.policy_admin.contracts import Endorsement
from cutline_translators.policy_admin.letters import DRAFT, ISSUED, VOID
from cutline_translators.policy_admin.policy_row_translator import PolicyRowTranslator


class PasEndorsements(PolicyRowTranslator):
    """The facts of an endorsement. Its deletion withdraws it, as the letter for void does."""

    context, aggregate, version = INSURANCE_POLICY, "policy", "1.0.0"
    source, subject = Endorsement, "policy_no"

    @ignore("draft")
    def draft(self, row: Any) -> Any:
        """A draft: nobody has issued it."""
        return row.status == DRAFT

    @fact(EndorsementIssued)
    def issued(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(ISSUED, VOID),
            at=row.effective_on,
            data={
                "endorsement_no": row.endorsement_no,
                "kind": row.kind,
                "premium_delta_cents": row.premium_delta_cents,
                "entered_at": row.entered_at,
            },
        )

    @removed(EndorsementWithdrawn)
    def withdrawn(self, row: Any) -> Occurrence:
        # A row that was deleted says nothing of when: then it is the commit that counts.
        return Occurrence(
            when=row.status == VOID,
            at=row.voided_on,
            data={
                "endorsement_no": row.endorsement_no,
                "premium_delta_cents": row.premium_delta_cents,
            },
        )
