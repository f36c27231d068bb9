"""Policies: the facts of a policy, from its status letter and its dates."""

from __future__ import annotations

from typing import Any

from cutline.translator import Occurrence, Translator, ambiguous, fact, ignore, reject
from cutline_domains.insurance_policy import (
    INSURANCE_POLICY,
    PolicyBound,
    PolicyCancelled,
    PolicyExpired,
    PolicyLapsed,
    PolicyReinstated,
    PolicySuspended,
    RenewalNoticeSent,
    TermAgreed,
)
from cutline_translators.policy_admin.contracts import Policy
from cutline_translators.policy_admin.letters import (
    BOUND,
    CANCELLED,
    EXPIRED,
    QUOTED,
    RESTING,
    TEST_CUSTOMER,
    UNREADABLE,
)


class PasPolicies(Translator):
    """What happened to a policy, at the days agreed, whenever somebody keyed it in.

    The system keeps the last lapse, the last reinstatement and the last term only: of those
    before, nothing is announced.
    """

    context, aggregate, version = INSURANCE_POLICY, "policy", "1.0.0"
    source, subject = Policy, "policy_no"

    @ignore("test-policy")
    def test_policy(self, row: Any) -> Any:
        """A test policy: nobody was ever insured by it."""
        return row.customer_no.startswith(TEST_CUSTOMER)

    @ignore("only-quoted")
    def only_quoted(self, row: Any) -> Any:
        """A quote: nobody is bound by it yet."""
        return row.status == QUOTED

    @reject("unreadable-status")
    def unreadable_status(self, row: Any) -> Any:
        """The migration of 2009 left this letter, and nobody can say any more what it means."""
        return row.status.isin(*UNREADABLE)

    @reject("policy-without-inception")
    def policy_without_inception(self, row: Any) -> Any:
        """Nobody wrote down when cover began, so the policy's history has no beginning."""
        return row.inception_on.isNull()

    @ambiguous("cancelled-before-reinstated")
    def cancelled_before_reinstated(self, row: Any) -> Any:
        """Cancelled by its letter, and reinstated later by its dates: one of the two is wrong."""
        return (row.status == CANCELLED) & (row.reinstated_on > row.cancelled_on)

    @fact(PolicyBound)
    def bound(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(*BOUND),
            at=row.inception_on,
            data={
                "customer_no": row.customer_no,
                "product": row.product,
                "covered_from": row.inception_on,
            },
        )

    @fact(TermAgreed, many=True, transient=True)
    def term_agreed(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(*BOUND),
            at=row.term_from,
            data={"term_from": row.term_from, "term_to": row.term_to},
        )

    @fact(PolicySuspended, many=True, transient=True)
    def suspended(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == RESTING, at=row.status_on, data={"since": row.status_on}
        )

    @fact(PolicyLapsed, many=True, transient=True)
    def lapsed(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(*BOUND) & row.lapsed_on.isNotNull(),
            at=row.lapsed_on,
            data={"lapsed_on": row.lapsed_on},
        )

    @fact(PolicyReinstated, many=True, transient=True)
    def reinstated(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(*BOUND) & row.reinstated_on.isNotNull(),
            at=row.reinstated_on,
            data={"reinstated_on": row.reinstated_on},
        )

    @fact(PolicyExpired, transient=True)
    def expired(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == EXPIRED, at=row.term_to, data={"policy_no": row.policy_no}
        )

    @fact(PolicyCancelled)
    def cancelled(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status == CANCELLED, at=row.cancelled_on, data={"policy_no": row.policy_no}
        )

    @fact(RenewalNoticeSent, many=True, transient=True)
    def renewal_notice_sent(self, row: Any) -> Occurrence:
        return Occurrence(
            when=row.status.isin(*BOUND) & row.noticed_for.isNotNull(),
            at=row.noticed_on,
            data={"term_to": row.noticed_for},
        )
