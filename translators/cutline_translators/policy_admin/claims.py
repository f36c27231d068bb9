"""Claims: registered on the day of notification, however long after the incident."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from cutline.translator import Occurrence, ambiguous, changed, fact, removed, understood
from cutline_domains.insurance_policy import (
    INSURANCE_POLICY,
    ClaimApproved,
    ClaimDeclined,
    ClaimRegistered,
    ClaimReopened,
    ClaimSettled,
    ClaimWithdrawn,
    ReserveSet,
)
from cutline_translators.policy_admin.contracts import Claim
from cutline_translators.policy_admin.letters import (
    APPROVED,
    DECLINED,
    INVESTIGATED,
    PAID,
    REGISTERED,
    VOIDED,
)
from cutline_translators.policy_admin.policy_row_translator import PolicyRowTranslator


class PasClaims(PolicyRowTranslator):
    """The facts of a claim, from its status letter and its dates."""

    context, aggregate, version = INSURANCE_POLICY, "claim", "1.0.0"
    source, subject = Claim, "claim_no"

    @ambiguous("incident-after-notification")
    def incident_after_notification(self, row: Any) -> Any:
        """The incident happened after somebody told of it: one of the two days is wrong."""
        return row.incident_on > row.notified_on

    @ambiguous("decided-before-notification")
    def decided_before_notification(self, row: Any) -> Any:
        """The claim was decided before somebody told of it: one of the two days is wrong."""
        return F.least(row.approved_on, row.declined_on, row.paid_on) < row.notified_on

    @understood("undecided")
    def undecided(self, row: Any) -> Any:
        """Registered, or under investigation: nothing was decided yet."""
        return row.status.isin(REGISTERED, INVESTIGATED)

    @fact(ClaimRegistered)
    def registered(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.notified_on,
            data={
                "policy_no": row.policy_no,
                "incident_on": row.incident_on,
                "entered_at": row.entered_at,
            },
        )

    @changed(ReserveSet, of=["reserve_no", "reserve_cents"], opening=True)
    def reserve_set(self, row: Any) -> Occurrence:
        return Occurrence(
            at=row.reserve_on,
            data={"reserve_no": row.reserve_no, "reserve_cents": row.reserve_cents},
        )

    @fact(ClaimDeclined, many=True, transient=True)
    def declined(self, row: Any) -> Occurrence:
        return Occurrence(
            when=(row.status == DECLINED) | row.declined_on.isNotNull(),
            at=row.declined_on,
            data={"declined_on": row.declined_on},
        )

    @fact(ClaimReopened, many=True, transient=True)
    def reopened(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.reopened_on.isNotNull(),
            at=row.reopened_on,
            data={"reopened_on": row.reopened_on},
        )

    @fact(ClaimApproved, excludes="declined")
    def approved(self, row: Any) -> Occurrence:
        return Occurrence(
            when=(row.status == APPROVED) | row.approved_on.isNotNull(),
            at=row.approved_on,
            data={"approved_cents": row.approved_cents},
        )

    @fact(ClaimSettled)
    def settled(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == PAID, at=row.paid_on, data={"paid_cents": row.paid_cents}
        )

    @removed(ClaimWithdrawn)
    def withdrawn(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == VOIDED, at=row.voided_on, data={"claim_no": row.claim_no}
        )
